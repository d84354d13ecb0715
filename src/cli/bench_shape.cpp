#include "cli/bench_shape.hpp"

#include <algorithm>

#include "cli/option.hpp"

namespace hilo::cli {
namespace {

constexpr std::int64_t most_shapes = 1000;
constexpr std::size_t most_numbers = 3;

// "n" or "from:to:step".
void append_sizes(const std::string& word, std::vector<Shape>& shapes) {
  auto size = [&](const std::string& text) {
    if (text.empty()) reject("--sizes '" + shown(word) + "': a size is missing");
    return integer<std::int64_t>("--sizes", text, 1);
  };
  std::vector<std::string> parts = list(word, ':');
  if (parts.size() != 1 && parts.size() != 3) {
    reject("--sizes '" + shown(word) + "' is neither a size nor a range FROM:TO:STEP");
  }
  std::int64_t from = size(parts.front()), to = parts.size() == 3 ? size(parts[1]) : from;
  std::int64_t step = parts.size() == 3 ? size(parts[2]) : 1;
  if (to < from)
    reject("--sizes " + shown(word) + ": the range FROM:TO:STEP falls from " + parts[0] + " to " + parts[1]);
  std::int64_t count = (to - from) / step + 1;
  if (count > most_shapes - std::ssize(shapes)) {
    reject("--sizes " + shown(word) + ": there are more than " + std::to_string(most_shapes) + " sizes");
  }
  for (std::int64_t i = 0; i < count; ++i) shapes.push_back({from + i * step});
}

// "512,512,64" or "4096x64x4096".
Shape read_shape(const std::string& word) {
  std::string text = lower_case(word);
  std::replace(text.begin(), text.end(), 'x', ',');
  Shape shape;
  for (const std::string& number : list(text)) {
    if (number.empty()) reject("--shapes '" + shown(word) + "': a size is missing");
    shape.push_back(integer<std::int64_t>("--shapes", number, 1));
  }
  if (shape.size() > most_numbers) {
    reject("--shapes '" + shown(word) + "' has more than three numbers; shapes are apart by spaces");
  }
  return shape;
}

}  // namespace

std::vector<Shape> read_shapes(const std::string& sizes, const std::vector<std::string>& words) {
  std::vector<Shape> shapes;
  if (!sizes.empty()) {
    for (const std::string& word : list(sizes)) {
      if (word.empty()) reject("--sizes '" + shown(sizes) + "': a size is missing");
      append_sizes(word, shapes);
    }
  }
  for (const std::string& word : words) {
    if (std::ssize(shapes) == most_shapes) {
      reject("--shapes " + shown(word) + ": there are more than " + std::to_string(most_shapes) + " shapes");
    }
    shapes.push_back(read_shape(word));
  }
  return shapes;
}

std::string in_words(const Shape& shape) {
  std::string text;
  for (std::int64_t number : shape) text += (text.empty() ? "" : "x") + std::to_string(number);
  return text;
}

bool are_square(const std::vector<Shape>& shapes) {
  return std::all_of(shapes.begin(), shapes.end(), [](const Shape& shape) { return shape.size() == 1; });
}

}  // namespace hilo::cli
