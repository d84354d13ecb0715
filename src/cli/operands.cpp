#include "cli/operands.hpp"

#include <algorithm>

#include "data/memory.hpp"

namespace hilo::cli {
namespace {

template <class T>
data::Matrix<T> generated(const GemmRequest& r, char which, std::int64_t rows, std::int64_t columns, data::Terms terms,
                          Progress& progress, const std::string& what) {
  return generated_matrix<T>({r.generator, r.seed, terms}, which, rows, columns, r.layout, progress, what);
}

// "A of 2 x 3 and x of 3 x 1 entries of 16 bytes each".
std::string in_words(const std::vector<MatrixSize>& matrices, std::size_t entry_bytes) {
  std::string text;
  for (const MatrixSize& x : matrices) {
    text += (text.empty()             ? ""
             : &x == &matrices.back() ? " and "
                                      : ", ") +
            x.name + " of " + std::to_string(x.rows) + " x " + std::to_string(x.columns);
  }
  return text + " entries of " + std::to_string(entry_bytes) + " bytes each";
}

}  // namespace

std::vector<MatrixSize> generated_sizes(const GemmRequest& r, bool has_c) {
  const bool plain_a = r.opa == Op::none, plain_b = r.opb == Op::none;
  std::vector<MatrixSize> sizes = {{"A", plain_a ? r.m : r.k, plain_a ? r.k : r.m},
                                   {"B", plain_b ? r.k : r.n, plain_b ? r.n : r.k},
                                   {"C", r.m, r.n}};
  if (has_c) sizes.push_back({"the C that --beta scales", r.m, r.n});
  return sizes;
}

template <class T>
data::Matrix<T> generated_matrix(const data::Recipe& recipe, char which, std::int64_t rows, std::int64_t columns,
                                 Layout layout, Progress& progress, const std::string& what) {
  data::Matrix<T> x = data::zero_matrix<T>(rows, columns, layout, std::string(1, which));
  data::Recipe own = recipe;
  own.seed = data::seed_of_matrix(recipe.seed, which);
  data::generate(own, layout, rows, columns, x.entries.data(), x.leading(),
                 [&](double part) { progress.at(part, what + "generating " + which); });
  return x;
}

template <class T>
data::Matrix<T> matrix_from_file(const std::string& path, Layout layout, Progress& progress) {
  return data::read_matrix<T>(path, layout, [&](double part) { progress.at(part, "reading " + path); });
}

template <class T>
void matrix_to_file(const std::string& path, const data::Matrix<T>& matrix, Progress& progress) {
  data::write_matrix(path, matrix, [&](double part) { progress.at(part, "writing " + path); });
}

template <class T>
void check_memory(const std::vector<MatrixSize>& matrices, std::int64_t workspace_bytes) {
  std::int64_t bytes = 0;
  bool fits = true;
  for (const MatrixSize& x : matrices) {
    std::int64_t one;
    if (__builtin_mul_overflow(x.rows, x.columns, &one) ||
        __builtin_mul_overflow(one, static_cast<std::int64_t>(sizeof(T)), &one)) {
      data::check_size<T>(x.rows, x.columns, x.name);
    }
    fits = fits && !__builtin_add_overflow(bytes, one, &bytes);
  }
  std::string text = "no memory for " + in_words(matrices, sizeof(T));
  if (workspace_bytes > 0) text += " and a workspace of " + std::to_string(workspace_bytes) + " bytes";
  fits = fits && !__builtin_add_overflow(bytes, workspace_bytes, &bytes);
  const std::int64_t left = data::free_bytes();
  if (fits && bytes <= left) return;
  throw error(errc::out_of_memory, text + ": they take " + (fits ? std::to_string(bytes) : "more than 2^63") +
                                       " bytes, of which " + std::to_string(left) + " are free");
}

template <class T>
void check_device_memory(const std::vector<MatrixSize>& matrices, const DeviceWorkspace& workspace,
                         const DeviceInfo& device) {
  const auto bytes = [](const MatrixSize& x) { return x.rows * x.columns * static_cast<std::int64_t>(sizeof(T)); };
  const auto refuse = [&](const std::string& what, std::int64_t taken, const char* limit, std::int64_t most) {
    throw error(errc::out_of_memory, "no memory on device " + device.name + " for " + what + ' ' +
                                         std::to_string(taken) + " bytes, and the device " + limit + ' ' +
                                         std::to_string(most) + " bytes");
  };
  std::int64_t all = workspace.bytes;
  for (const MatrixSize& x : matrices) all += bytes(x);
  if (all > device.global_memory) {
    std::string text = in_words(matrices, sizeof(T));
    if (workspace.bytes > 0) text += " and a workspace of " + std::to_string(workspace.bytes) + " bytes";
    refuse(text + ": they take", all, "has", device.global_memory);
  }
  constexpr const char* limit = "gives at a time at most";
  for (const MatrixSize& x : matrices) {
    if (bytes(x) > device.max_allocation) {
      refuse(in_words({x}, sizeof(T)) + ": it takes", bytes(x), limit, device.max_allocation);
    }
  }
  if (workspace.largest_allocation > device.max_allocation) {
    refuse("a matrix of the workspace: it takes", workspace.largest_allocation, limit, device.max_allocation);
  }
}

template <class T>
Operands<T> generated_operands(const GemmRequest& r, bool has_c, Progress& progress, const std::string& what) {
  constexpr auto columns = data::Terms::along_columns, rows = data::Terms::along_rows;
  const std::vector<MatrixSize> sizes = generated_sizes(r, has_c);
  Operands<T> o{
      data::zero_matrix<T>(r.m, r.n, r.layout, "C"),
      generated<T>(r, 'A', sizes[0].rows, sizes[0].columns, r.opa == Op::none ? columns : rows, progress, what),
      generated<T>(r, 'B', sizes[1].rows, sizes[1].columns, r.opb == Op::none ? rows : columns, progress, what),
      {}};
  if (has_c) o.c0 = generated<T>(r, 'C', r.m, r.n, data::Terms::none, progress, what);
  return o;
}

#define HILO_INSTANTIATE(T)                                                                                           \
  template data::Matrix<T> generated_matrix(const data::Recipe&, char, std::int64_t, std::int64_t, Layout, Progress&, \
                                            const std::string&);                                                      \
  template data::Matrix<T> matrix_from_file(const std::string&, Layout, Progress&);                                   \
  template void matrix_to_file(const std::string&, const data::Matrix<T>&, Progress&);                                \
  template void check_memory<T>(const std::vector<MatrixSize>&, std::int64_t);                                        \
  template void check_device_memory<T>(const std::vector<MatrixSize>&, const DeviceWorkspace&, const DeviceInfo&);    \
  template Operands<T> generated_operands(const GemmRequest&, bool, Progress&, const std::string&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo::cli
