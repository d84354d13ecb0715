#include "cli/plot.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "cli/option.hpp"
#include "data/file.hpp"

namespace hilo::cli {
namespace {

constexpr int panel_width = 620, panel_height = 560;  // points

// A file without a name, gone when it is closed.
class Scratch {
 public:
  Scratch() : file_(std::tmpfile(), &std::fclose) {
    if (!file_) throw std::runtime_error(std::string("no temporary file for gnuplot: ") + std::strerror(errno));
  }
  void write(const std::string& bytes) {
    std::fwrite(bytes.data(), 1, bytes.size(), file_.get());
    if (std::fflush(file_.get()) != 0) throw std::runtime_error("a temporary file for gnuplot cannot be written");
    std::rewind(file_.get());
  }
  std::string read() {
    std::rewind(file_.get());
    std::string bytes;
    char buffer[4096];
    while (std::size_t got = std::fread(buffer, 1, sizeof buffer, file_.get())) bytes.append(buffer, got);
    return bytes;
  }
  int descriptor() const { return fileno(file_.get()); }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

// What gnuplot writes for a script, without the user's start-up files.
std::string gnuplot(const std::string& script) {
  Scratch in, out, complaints;
  in.write(script);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, complaints.descriptor(), STDERR_FILENO);
  std::string name = "gnuplot", option = "-d";
  char* const arguments[] = {name.data(), option.data(), nullptr};
  pid_t child;
  int failure = posix_spawnp(&child, name.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) {
    throw std::runtime_error(std::string("a plot needs gnuplot, which does not start: ") + std::strerror(failure));
  }
  int status;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw std::runtime_error(std::string("gnuplot: ") + std::strerror(errno));
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::string words = complaints.read();
    throw std::runtime_error("gnuplot failed: " + (words.empty() ? "it says nothing" : words));
  }
  return out.read();
}

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

std::string quoted(const std::string& text) {
  std::string q = "'";
  for (char c : text) q += c == '\'' ? "''" : std::string(1, c);
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
  if (kind == Axis::log2) {
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
  out << (kind == Axis::log2 ? "set" : "unset") << " logscale " << axis << (kind == Axis::log2 ? " 2" : "") << '\n';
  out << "set " << axis << "label " << quoted(label) << '\n';
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
  if (is_empty) throw std::runtime_error("there is nothing to plot in '" + panel.title + "'");
  out << "set title " << quoted(panel.title) << '\n';
  append_axis(out, 'x', panel.x_axis, panel.x_label);
  append_axis(out, 'y', panel.y_axis, panel.y_label);
  out << "set format x '%g'\nset format y " << (panel.y_axis == Axis::log2 ? "'2^{%L}'" : "'%g'") << '\n'
      << range('x', panel.x_axis, least.x, largest.x) << range('y', panel.y_axis, least.y, largest.y) << "plot "
      << curves.str() << '\n'
      << data.str();
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

}  // namespace hilo::cli
