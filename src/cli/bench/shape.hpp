// The sizes of what `hilo bench` measures, as the command line has them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hilo::cli {

/// One number for all sizes of a routine, or as many as it has.
using Shape = std::vector<std::int64_t>;

/// What --sizes and --shapes say, in this order: n and ranges FROM:TO:STEP between commas; shapes, whose numbers have
/// commas or an x between them. Throws hilo::error (invalid_argument).
std::vector<Shape> read_shapes(const std::string& sizes, const std::vector<std::string>& shapes);

/// "512" or "512x512x64".
std::string in_words(const Shape& shape);

/// Whether all are of one number.
bool are_square(const std::vector<Shape>& shapes);

}  // namespace hilo::cli
