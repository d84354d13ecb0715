// A product by another library, in a program of its own.
#pragma once

#include <cstring>
#include <hilo/precision.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/reference.hpp"
#include "data/matrix.hpp"

namespace hilo::cli {

/// A command that, with the precision, m, n and k behind it ("dd 64 64 512"), reads A and B, m × k and k × n, from its
/// standard input and writes A · B to its standard output: the doubles of each entry as they lie in memory, hi before
/// lo and real before imaginary, column by column.
class ReferenceProduct {
 public:
  /// Throws as ReferenceCommand does.
  ReferenceProduct(const std::string& command, std::chrono::seconds limit) : command_(command, limit) {}

  const std::string& command() const { return command_.words(); }

  /// Both by columns, as the product is. Throws std::runtime_error, which names the command, where that fails or writes
  /// more or less than a product.
  template <class T>
  data::Matrix<T> multiply(const data::Matrix<T>& a, const data::Matrix<T>& b) const {
    data::Matrix<T> c = data::zero_matrix<T>(a.rows, b.columns, Layout::column, "C");
    const std::vector<std::string> sizes = {std::string(name(precision_of<T>)), std::to_string(c.rows),
                                            std::to_string(c.columns), std::to_string(a.columns)};
    const std::string out = command_.run(sizes, bytes(a) + bytes(b));
    const std::size_t expected = c.entries.size() * sizeof(T);
    if (out.size() != expected) {
      throw std::runtime_error(command_.call(sizes) + " wrote " + std::to_string(out.size()) + " bytes, expected the " +
                               std::to_string(expected) + " of a product");
    }
    std::memcpy(static_cast<void*>(c.entries.data()), out.data(), expected);
    return c;
  }

 private:
  template <class T>
  static std::string bytes(const data::Matrix<T>& x) {
    return {reinterpret_cast<const char*>(x.entries.data()), x.entries.size() * sizeof(T)};
  }

  ReferenceCommand command_;
};

}  // namespace hilo::cli
