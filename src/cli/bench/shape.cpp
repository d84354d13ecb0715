#include "cli/bench/shape.hpp"

#include <algorithm>
#include <sstream>

#include "cli/option.hpp"
#include "cli/words.hpp"

namespace hilo::cli {
namespace {

constexpr std::int64_t most_shapes = 1000;
constexpr std::size_t most_numbers = 3;

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
    for (const std::int64_t n : read_sizes(sizes)) shapes.push_back({n});
  }
  for (const std::string& word : words) {
    if (word.find_first_not_of(' ') == word.npos) reject("--shapes '" + shown(word) + "': a size is missing");
    std::istringstream several(word);  // of a list in quotes
    for (std::string shape; several >> shape; shapes.push_back(read_shape(shape))) {
      if (std::ssize(shapes) == most_shapes) {
        reject("--shapes " + shown(shape) + ": there are more than " + std::to_string(most_shapes) + " shapes");
      }
    }
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
