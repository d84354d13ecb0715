#include "cli/bench/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace hilo::cli {
namespace {

constexpr std::array<const char*, 4> engine_colours = {"#009e73", "#d55e00", "#0072b2", "#cc79a7"};  // by Engine
constexpr std::array<const char*, 8> colours = {"#009e73", "#d55e00", "#0072b2", "#cc79a7",
                                                "#e69f00", "#56b4e9", "#8b4513", "#000000"};
constexpr const char* reference_colour = "#555555";
constexpr double far_apart = 8.0;  // curves whose tops are further apart have a logarithmic axis

// Where a shape stands: n of n x n x n, of others that of a cube as large.
double place_of(const Shape& shape) {
  double volume = 1.0;
  for (std::int64_t number : shape) volume *= static_cast<double>(number);
  return shape.size() == 1 ? volume : std::pow(volume, 1.0 / static_cast<double>(shape.size()));
}

// What tells a case from the others.
std::string name_among(const BenchRequest& request, const BenchCase& what) {
  const Differences differ = differences(request.cases);
  std::string text;
  const auto append = [&](bool differs, const std::string& word) {
    if (differs) text += (text.empty() ? "" : " ") + word;
  };
  append(differ.routine, std::string(name(what.routine)));
  append(differ.precision, std::string(name(what.precision)));
  append(differ.transposes, transposes(what));
  append(differ.place, place_name(what.place));
  append(differ.threads && what.place.backend == Backend::cpu, "threads " + std::to_string(what.options.threads));
  append(true, std::string(name(what.options.engine)));
  return text;
}

bool differ_in_engines_alone(const BenchRequest& request) {
  return std::all_of(request.cases.begin(), request.cases.end(),
                     [&](const BenchCase& what) { return differ_in_engine(what, request.cases.front()); });
}

// A curve's speeds, and dashed those with transfers where there are.
struct Curves {
  Curve kernel, total;
  bool has_total;

  Curves(const std::string& name, const char* colour, bool moves)
      : kernel{name, colour, false, {}}, total{"", colour, true, {}}, has_total(moves) {}

  void add(const Shape& shape, double of_kernel, double of_total) {
    kernel.points.push_back({place_of(shape), of_kernel});
    total.points.push_back({place_of(shape), of_total});
  }
  void append_to(std::vector<Curve>& curves) const {
    curves.push_back(kernel);
    if (has_total) curves.push_back(total);
  }
};

double top(const Curve& curve) {
  double y = 0.0;
  for (Point p : curve.points) y = std::max(y, p.y);
  return y;
}

Axis axis_of(const std::vector<Curve>& curves) {
  auto lower = [](const Curve& x, const Curve& y) { return top(x) < top(y); };
  auto [lowest, highest] = std::minmax_element(curves.begin(), curves.end(), lower);
  return top(*highest) > far_apart * top(*lowest) ? Axis::log2 : Axis::linear;
}

}  // namespace

std::string title(const BenchResult& result) {
  const BenchCase& p = result.request.cases.front();
  const Differences differ = differences(result.request.cases);
  std::string text = differ.precision ? "" : std::string(name(p.precision));
  if (!differ.routine) text += name(p.routine);
  if (!differ.transposes && !transposes(p).empty()) text += " " + transposes(p);
  return plain(text + (text.empty() ? "" : ", ") + accuracy_name(p.options));
}

Panel panel(const BenchResult& result) {
  const BenchRequest& request = result.request;
  const std::vector<BenchSize>& sizes = result.findings.sizes;
  Panel panel{plain(units(result)),
              are_square(request.shapes) ? "n, of n x n matrices" : "geometric mean of a shape's sizes",
              moves_data(request) ? "GFlop/s (dashed: with transfers)" : "GFlop/s",
              Axis::log2,
              Axis::linear,
              {},
              true};
  for (std::size_t i = 0; i < sizes.front().rows.size(); ++i) {
    const BenchCase& what = sizes.front().rows[i].what;
    const char* colour = differ_in_engines_alone(request)
                             ? engine_colours[static_cast<std::size_t>(what.options.engine)]
                             : colours[i % colours.size()];
    Curves curves(plain(name_among(request, what)), colour, what.place.backend == Backend::opencl);
    for (const BenchSize& size : sizes) {
      if (i >= size.rows.size()) continue;
      curves.add(size.shape, kernel_speed(size.rows[i]).median, total_speed(size.rows[i]).median);
    }
    curves.append_to(panel.curves);
  }
  if (const ReferenceSpeed* r = reference(result)) {
    Curves curves(plain(r->name), reference_colour, moves_data(request));
    for (const BenchSize& size : sizes) {
      if (size.reference) curves.add(size.shape, size.reference->gflops_kernel, size.reference->gflops_total);
    }
    curves.append_to(panel.curves);
  }
  panel.y_axis = axis_of(panel.curves);
  return panel;
}

}  // namespace hilo::cli
