// Pictures of curves, drawn by gnuplot.
#pragma once

#include <exception>
#include <string>
#include <vector>

namespace hilo::cli {

struct Point {
  double x, y;
};

/// Points in any order; those that a logarithmic axis cannot show, and those that are not finite, are left out.
struct Curve {
  std::string title;    ///< in the key; empty keeps the curve out of it
  std::string colour;   ///< "#rrggbb"
  bool dashed = false;  ///< a dashed line without marks
  std::vector<Point> points;
};

/// Logarithmic axes are labelled with values (log2), with powers of two (exponents) or with powers of ten.
enum class Axis { linear, log2, exponents, powers_of_ten };

/// Titles and labels are gnuplot's enhanced text: "2^{-53}".
struct Panel {
  std::string title, x_label, y_label;
  Axis x_axis = Axis::linear, y_axis = Axis::linear;
  std::vector<Curve> curves;
  bool shows_zero = false;  ///< a linear y axis begins at 0
};

/// Text that enhanced text shows as it is.
std::string plain(const std::string& text);

/// Throws where draw() could not write to path: hilo::error (invalid_argument) for a name that does not end in .svg,
/// (io) for a place that cannot be written, std::runtime_error where gnuplot does not run. Changes nothing.
void check_drawable(const std::string& path);

/// The panels side by side, as SVG. The file appears complete or not at all. Throws as check_drawable does.
void draw(const std::string& path, const std::string& title, const std::vector<Panel>& panels);

/// Draws. Returns what draw() threw, to be thrown when all else is told, and leaves no path then.
std::exception_ptr try_to_draw(std::string& path, const std::string& title, const std::vector<Panel>& panels);

}  // namespace hilo::cli
