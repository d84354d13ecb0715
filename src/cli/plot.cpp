#include "cli/plot.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "cli/option.hpp"
#include "cli/process.hpp"
#include "cli/text.hpp"
#include "data/file.hpp"

namespace hilo::cli {
namespace {

constexpr std::chrono::minutes longest_drawing(5);
constexpr int panel_width = 620, panel_height = 560;  // points

// What gnuplot writes for a script, without the user's start-up files.
std::string gnuplot(const std::string& script) {
  ProcessOutcome outcome;
  try {
    outcome = run_process({"gnuplot", "-d"}, script, longest_drawing);
  } catch (const std::system_error& e) {
    throw std::runtime_error("a plot needs gnuplot, which does not start: " + e.code().message());
  }
  if (!outcome.failure.empty()) {
    throw std::runtime_error("gnuplot failed: " + (outcome.err.empty() ? "it says nothing" : outcome.err));
  }
  return outcome.out;
}

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

// In one line: a script's commands end with theirs.
std::string quoted(const std::string& text) {
  std::string q = "'";
  for (char c : in_one_line(text)) q += c == '\'' ? "''" : std::string(1, c);
  return q + '\'';
}

// The points that the panel can show, from left to right.
std::vector<Point> shown(const Panel& panel, const Curve& curve) {
  auto fits = [](Axis axis, double value) { return std::isfinite(value) && (axis == Axis::linear || value > 0.0); };
  std::vector<Point> points;
  for (Point p : curve.points) {
    if (fits(panel.x_axis, p.x) && fits(panel.y_axis, p.y)) points.push_back(p);
  }
  std::stable_sort(points.begin(), points.end(), [](Point p, Point q) { return p.x < q.x; });
  return points;
}

// An axis from a little before the least value to a little behind the largest, also where they are the same.
std::string range(char axis, Axis kind, double least, double largest) {
  double below, above;
  if (kind != Axis::linear) {
    double margin = std::max(1.5, std::pow(largest / least, 0.05));
    below = least / margin;
    above = largest * margin;
  } else {
    double margin = largest > least ? 0.05 * (largest - least) : 0.5;
    below = least - margin;
    above = largest + margin;
  }
  return std::string("set ") + axis + "range [" + number(below) + ":" + number(above) + "]\n";
}

void append_axis(std::ostream& out, char axis, Axis kind, const std::string& label) {
  const char* base = kind == Axis::powers_of_ten ? " 10" : " 2";
  const char* format = kind == Axis::exponents ? "2^{%L}" : kind == Axis::powers_of_ten ? "10^{%L}" : "%g";
  out << (kind == Axis::linear ? "unset" : "set") << " logscale " << axis << (kind == Axis::linear ? "" : base) << '\n'
      << "set " << axis << "label " << quoted(label) << "\nset format " << axis << ' ' << quoted(format)
      << '\n'
      // Where tics are many decades apart, those of one decade are a smudge.
      << "unset m" << axis << "tics\n";
}

// Of values that an axis of powers has no place for, as errors that are 0; its curve lies outside.
void append_empty_panel(std::ostream& out, const Panel& panel) {
  out << "set title " << quoted(panel.title) << '\n';
  append_axis(out, 'x', Axis::linear, panel.x_label);
  append_axis(out, 'y', Axis::linear, panel.y_label);
  out << "set xrange [0:1]\nset yrange [0:1]\nset label 1 'no value above 0' at graph 0.5,0.5 center\n"
      << "plot 2 notitle\nunset label 1\n";
}

void append_panel(std::ostream& out, const Panel& panel) {
  std::ostringstream data, curves;
  bool is_empty = true;
  Point least{}, largest{};
  for (const Curve& curve : panel.curves) {
    std::vector<Point> points = shown(panel, curve);
    if (points.empty()) continue;
    for (Point p : points) {
      data << number(p.x) << ' ' << number(p.y) << '\n';
      least = is_empty ? p : Point{std::min(least.x, p.x), std::min(least.y, p.y)};
      largest = is_empty ? p : Point{std::max(largest.x, p.x), std::max(largest.y, p.y)};
      is_empty = false;
    }
    data << "e\n";
    if (curves.tellp() > 0) curves << ", ";
    curves << "'-' using 1:2 with "
           << (curve.dashed ? "lines dashtype 2 linewidth 1.5" : "linespoints pointtype 7 linewidth 2")
           << " linecolor rgb " << quoted(curve.colour) << (curve.title.empty() ? " notitle" : " title ")
           << (curve.title.empty() ? "" : quoted(curve.title));
  }
  if (is_empty) return append_empty_panel(out, panel);
  std::string y_range = panel.shows_zero && panel.y_axis == Axis::linear
                            ? "set yrange [0:" + number(1.05 * largest.y) + "]\n"
                            : range('y', panel.y_axis, least.y, largest.y);
  out << "set title " << quoted(panel.title) << '\n';
  append_axis(out, 'x', panel.x_axis, panel.x_label);
  append_axis(out, 'y', panel.y_axis, panel.y_label);
  out << range('x', panel.x_axis, least.x, largest.x) << y_range << "plot " << curves.str() << '\n' << data.str();
}

std::string script(const std::string& title, const std::vector<Panel>& panels) {
  std::ostringstream out;
  out << "set encoding utf8\nset terminal svg size " << panel_width * static_cast<int>(panels.size()) << ','
      << panel_height << " dynamic enhanced font 'sans,14' background '#ffffff'\n"
      << "set grid linetype 1 linewidth 1 linecolor rgb '#e4e4e4'\nset border linecolor rgb '#555555'\nset tics "
         "nomirror\n"
      << "set key outside bottom center horizontal Left reverse samplen 2 height 1.5 maxcols 3\n"
      << "set multiplot layout 1," << panels.size() << " title " << quoted(title) << '\n';
  for (const Panel& panel : panels) append_panel(out, panel);
  out << "unset multiplot\n";
  return out.str();
}

}  // namespace

std::string plain(const std::string& text) {
  std::string p;
  for (char c : text) {
    if (std::string_view("\\{}^_@&~").find(c) != std::string_view::npos) p += '\\';
    p += c;
  }
  return p;
}

void check_drawable(const std::string& path) {
  if (!path.ends_with(".svg")) reject(path + ": the name of a picture ends in .svg");
  data::check_target(path);
  gnuplot("set terminal svg\n");
}

void draw(const std::string& path, const std::string& title, const std::vector<Panel>& panels) {
  std::string svg = gnuplot(script(title, panels));
  if (svg.find("</svg>") == svg.npos) throw std::runtime_error("gnuplot has drawn nothing");
  data::OutputFile file(path);
  file.write(svg);
  file.commit();
}

std::exception_ptr try_to_draw(std::string& path, const std::string& title, const std::vector<Panel>& panels) {
  try {
    draw(path, title, panels);
    return nullptr;
  } catch (...) {
    path.clear();
    return std::current_exception();
  }
}

}  // namespace hilo::cli
