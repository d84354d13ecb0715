#include "blas/opencl/vector_place.hpp"

#include <algorithm>
#include <cstring>

#include "opencl/program.hpp"

namespace hilo::blas {
namespace {

using opencl::define;
using opencl::set_arguments;

constexpr std::int64_t items = 256;
constexpr const char* sums_text = "blas/vector_sums.cl";

}  // namespace

void VectorPlace::set_number(opencl::BorrowedKernel& k, cl_uint at, const dd_complex& x) const {
  const std::size_t parts = is_complex(precision()) ? 2 : 1;
  if (is_double_double(precision())) {
    const double words[] = {x.re.hi, x.re.lo, x.im.hi, x.im.lo};
    (*k).setArg(at, parts * 16, words);
  } else if (is_single(precision())) {
    const float words[] = {static_cast<float>(x.re.hi), static_cast<float>(x.im.hi)};
    (*k).setArg(at, parts * 4, words);
  } else {
    const double words[] = {x.re.hi, x.im.hi};
    (*k).setArg(at, parts * 8, words);
  }
}

dd_real VectorPlace::part_of(const std::byte* words) const {
  if (is_single(precision())) {
    float x;
    std::memcpy(&x, words, sizeof x);
    return dd_real(x);
  }
  dd_real x;
  std::memcpy(&x.hi, words, sizeof x.hi);
  if (is_double_double(precision())) std::memcpy(&x.lo, words + sizeof x.hi, sizeof x.lo);
  return x;
}

template <class... Numbers>
void VectorPlace::for_elements(const char* name, const DeviceVector& x, const DeviceVector* y, bool sets_zero,
                               const Numbers&... numbers) {
  if (x.size == 0) return;
  const std::int64_t elements = std::max<std::int64_t>(16 / element_bytes(precision()), 1);
  opencl::BorrowedKernel k = kernel("blas/vectors.cl", name, define("ELEMENTS", static_cast<int>(elements)));
  cl_uint at = 0;
  (*k).setArg(at++, x.buffer);
  if (y) (*k).setArg(at++, y->buffer);
  (set_number(k, at++, numbers), ...);
  (*k).setArg(
      at, opencl::vector_arguments{.x = view_of(x), .y = view_of(y ? *y : x), .size = x.size, .sets_zero = sets_zero});
  const auto groups = static_cast<std::size_t>(blocks(x.size, items * elements));
  call().launch(*k, cl::NDRange(groups * items), cl::NDRange(items));
}

void VectorPlace::axpy(const dd_complex& alpha, const DeviceVector& x, const DeviceVector& y) {
  for_elements("axpy", x, &y, false, alpha);
}
void VectorPlace::scale(const dd_complex& alpha, const DeviceVector& x) {
  for_elements("scale", x, nullptr, alpha == dd_complex(0), alpha);
}
void VectorPlace::copy(const DeviceVector& x, const DeviceVector& y) { for_elements("copy", x, &y, false); }
void VectorPlace::exchange(const DeviceVector& x, const DeviceVector& y) { for_elements("exchange", x, &y, false); }
void VectorPlace::rotate(const dd_real& c, const dd_complex& s, const DeviceVector& x, const DeviceVector& y) {
  for_elements("rotate_by", x, &y, false, dd_complex(c), s);
}

dd_complex VectorPlace::sum(Terms terms, const DeviceVector& x, const DeviceVector& y, int exponent) {
  // As the kernels have them.
  constexpr std::int64_t chunk = 4096, chunks_of_super = 64, items_of_sums = 64;
  const bool is_dd = is_double_double(precision());
  const std::int64_t width = is_dd ? 64 : 1;
  const std::int64_t sums = is_complex(precision()) && terms <= Terms::products ? 2 : 1;
  const std::int64_t parts = blocks(x.size * (is_complex(precision()) ? 2 : 1), chunk);
  if (parts == 0) return dd_complex(0);
  // More work-items than some devices take are worth it on those where a launch waits for memory.
  const int lanes = call().context().info.compute_capability > 0 ? 16 : 4;
  const std::string options = define("TERMS", static_cast<int>(terms)) + define("LANES", lanes) +
                              define("KEEPS_LOADS_AHEAD", call().context().info.type == DeviceType::gpu);
  const opencl::sum_arguments arguments{
      .x = view_of(x), .y = view_of(y), .size = x.size, .groups = 0, .exponent = exponent};

  const cl::Buffer of_chunks = call().borrow(parts * sums * width * part_bytes(), "sums of chunks");
  const cl::Buffer result = call().borrow(sums * part_bytes(), "sums");
  opencl::BorrowedKernel sum_chunks = kernel(sums_text, "sum_chunks", options);
  set_arguments(sum_chunks, x.buffer, y.buffer, of_chunks, arguments);
  const auto groups = static_cast<std::size_t>(is_dd ? parts : blocks(parts, 4));
  call().launch(*sum_chunks, cl::NDRange(groups * items_of_sums), cl::NDRange(items_of_sums), true);

  opencl::total_arguments total{.parts = parts, .parts_of_super = chunks_of_super};
  cl::Buffer to_add = of_chunks;
  const std::int64_t supers = blocks(parts, chunks_of_super);
  if (supers > lanes) {
    to_add = call().borrow(supers * sums * width * part_bytes(), "sums of super-chunks");
    opencl::BorrowedKernel add_chunks = kernel(sums_text, "add_chunks", options);
    set_arguments(add_chunks, of_chunks, to_add, total);
    const auto count = static_cast<std::size_t>(blocks(supers * sums * width, items_of_sums) * items_of_sums);
    call().launch(*add_chunks, cl::NDRange(count), cl::NDRange(items_of_sums), true);
    total = {.parts = supers, .parts_of_super = 1};
  }
  opencl::BorrowedKernel add_up = kernel(sums_text, "add_up", options);
  set_arguments(add_up, to_add, result, total);
  const auto all = static_cast<std::size_t>(width * lanes);
  call().launch(*add_up, cl::NDRange(all), cl::NDRange(all), true);

  const auto read = [&] {
    std::byte words[32];
    call().read(result, static_cast<std::size_t>(sums * part_bytes()), words);
    return dd_complex(part_of(words), sums == 2 ? part_of(words + part_bytes()) : dd_real(0));
  };
  dd_complex found = read();
  const auto is_finite = [](const dd_real& z) { return z.hi - z.hi == 0.0; };
  if (is_dd && terms != Terms::scaled_squares && !(is_finite(found.re) && is_finite(found.im))) {
    opencl::BorrowedKernel add_words = kernel(sums_text, "add_leading_words", options);
    set_arguments(add_words, x.buffer, y.buffer, result, arguments);
    call().launch(*add_words, cl::NDRange(items_of_sums), cl::NDRange(items_of_sums), true);
    const dd_complex plain = read();
    if (!is_finite(found.re)) found.re = plain.re;
    if (!is_finite(found.im)) found.im = plain.im;
  }
  return found;
}

VectorPlace::Largest VectorPlace::largest(const DeviceVector& x, bool by_parts) {
  Largest found{-1, dd_real(0)};
  if (x.size == 0) return found;
  const std::int64_t groups = std::min<std::int64_t>(blocks(x.size, 4 * items), 1024);
  const cl::Buffer sizes = call().borrow(groups * part_bytes(), "largest elements");
  const cl::Buffer places = call().borrow(groups * 8, "places of largest elements");
  const Terms terms = by_parts ? Terms::scaled_squares : Terms::squares;
  opencl::BorrowedKernel k = kernel(sums_text, "find_largest", define("TERMS", static_cast<int>(terms)));
  const auto count = static_cast<std::size_t>(groups);
  set_arguments(
      k, x.buffer, sizes, places,
      opencl::sum_arguments{
          .x = view_of(x), .y = view_of(x), .size = x.size, .groups = static_cast<cl_int>(groups), .exponent = 0});
  call().launch(*k, cl::NDRange(count * items), cl::NDRange(items), true);
  std::vector<std::byte> words(static_cast<std::size_t>(groups * part_bytes()));
  std::vector<cl_long> indices(count);
  call().read(sizes, words.size(), words.data());
  call().read(places, 8 * count, indices.data());
  for (std::size_t i = 0; i < count; ++i) {
    const dd_real m = part_of(words.data() + static_cast<std::int64_t>(i) * part_bytes());
    const bool is_nan = m.hi != m.hi, found_nan = found.magnitude.hi != found.magnitude.hi;
    const bool is_earlier = indices[i] < found.index;
    const bool is_first = is_nan || found_nan ? is_nan && (!found_nan || is_earlier)
                                              : m > found.magnitude || (m == found.magnitude && is_earlier);
    if (indices[i] >= 0 && (found.index < 0 || is_first)) found = {indices[i], m};
  }
  return found;
}

}  // namespace hilo::blas
