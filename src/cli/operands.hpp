// The matrices of a product or a system.
#pragma once

#include <string>
#include <vector>

#include "cli/gemm/request.hpp"
#include "cli/progress.hpp"
#include "data/generate.hpp"
#include "data/matrix.hpp"

namespace hilo::cli {

template <class T>
struct Operands {
  data::Matrix<T> c;  ///< zeros; the first, so that a product of two long vectors is refused before they are made
  data::Matrix<T> a, b;
  data::Matrix<T> c0;  ///< empty where beta = 0
};

/// A matrix of the recipe, whose seed is that of several matrices: this one is called `which`. `what` stands before
/// what progress tells. Throws hilo::error (out_of_memory, invalid_argument).
template <class T>
data::Matrix<T> generated_matrix(const data::Recipe& recipe, char which, std::int64_t rows, std::int64_t columns,
                                 Layout layout, Progress& progress, const std::string& what);

/// Throws as data::read_matrix does.
template <class T>
data::Matrix<T> matrix_from_file(const std::string& path, Layout layout, Progress& progress);

/// Throws as data::write_matrix does.
template <class T>
void matrix_to_file(const std::string& path, const data::Matrix<T>& matrix, Progress& progress);

/// Generated matrices as the request describes them; `what` stands before what progress tells. Throws hilo::error
/// (out_of_memory, invalid_argument).
template <class T>
Operands<T> generated_operands(const GemmRequest& request, bool has_c, Progress& progress, const std::string& what);

/// A matrix that a command is going to hold beside what is there.
struct MatrixSize {
  std::string name;
  std::int64_t rows, columns;
};

/// Throws hilo::error where all of the matrices and a workspace do not fit the memory that is left (out_of_memory), or
/// the bytes of one do not fit 64 bits (overflow).
template <class T>
void check_memory(const std::vector<MatrixSize>& matrices, std::int64_t workspace_bytes);

/// What a command takes of a device's memory beside its matrices, at least.
struct DeviceWorkspace {
  std::int64_t bytes = 0, largest_allocation = 0;
};

/// Throws hilo::error (out_of_memory) where matrices that passed check_memory and a workspace do not fit the device, or
/// one of them is more than it allocates at a time.
template <class T>
void check_device_memory(const std::vector<MatrixSize>& matrices, const DeviceWorkspace& workspace,
                         const DeviceInfo& device);

/// check_memory of the matrices alone first, then with a workspace: its bytes, bytes(), do not overflow where they fit.
template <class T, class Bytes>
void check_matrices_and_workspace(const std::vector<MatrixSize>& matrices, Bytes bytes) {
  check_memory<T>(matrices, 0);
  check_memory<T>(matrices, bytes());
}

/// "A.mtx is 2 x 3".
template <class T>
std::string size_of(const std::string& name, const data::Matrix<T>& m) {
  return name + " is " + std::to_string(m.rows) + " x " + std::to_string(m.columns);
}

template <class T>
auto view_of(data::Matrix<T>& m) {
  return view(m.layout, Op::none, m.entries.data(), m.rows, m.columns, m.leading());
}
template <class T>
auto view_of(const data::Matrix<T>& m) {
  return view(m.layout, Op::none, m.entries.data(), m.rows, m.columns, m.leading());
}

/// The matrices of generated_operands.
std::vector<MatrixSize> generated_sizes(const GemmRequest& request, bool has_c);

}  // namespace hilo::cli
