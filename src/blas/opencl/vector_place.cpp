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

// How work-groups meet.
std::string meeting_option(const opencl::ContextState& context) {
  const bool is_nvidia = opencl::has_warps(context.info);
  return define("NVIDIA", is_nvidia) + define("BY_ATOMICS", !is_nvidia && context.info.type != DeviceType::cpu);
}

}  // namespace

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
  // As the kernel has them.
  constexpr std::int64_t chunk = 4096, chunks_of_super = 64, items_of_sums = 64, most_counters_of_super = 5;
  const bool is_dd = is_double_double(precision());
  const std::int64_t width = is_dd ? 64 : 1, chunks_of_group = is_dd ? 1 : 4;
  const std::int64_t sums = is_complex(precision()) && terms <= Terms::products ? 2 : 1;
  const std::int64_t chunks = blocks(x.size * (is_complex(precision()) ? 2 : 1), chunk);
  if (chunks == 0) return dd_complex(0);
  const std::int64_t supers = blocks(chunks, chunks_of_super);
  const std::string options = define("TERMS", static_cast<int>(terms)) + meeting_option(call().context()) +
                              define("KEEPS_LOADS_AHEAD", call().context().info.type == DeviceType::gpu);
  const opencl::sum_arguments arguments{.x = view_of(x), .y = view_of(y), .size = x.size, .exponent = exponent};

  const cl::Buffer result = call().borrow((1 + supers + chunks) * sums * width * part_bytes(), "sums of chunks");
  const cl::Buffer arrivals = call().borrow_counters(most_counters_of_super * supers, "arrivals");
  opencl::BorrowedKernel sum_vectors = kernel(sums_text, "sum_vectors", options);
  set_arguments(sum_vectors, x.buffer, y.buffer, result, arrivals, arguments);
  const std::int64_t groups = blocks(supers > 1 ? supers * chunks_of_super : chunks, chunks_of_group);
  call().launch_groups(*sum_vectors, groups, items_of_sums);

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
    call().launch_groups(*add_words, 1, items_of_sums);
    const dd_complex plain = read();
    if (!is_finite(found.re)) found.re = plain.re;
    if (!is_finite(found.im)) found.im = plain.im;
  }
  return found;
}

VectorPlace::Largest VectorPlace::largest(const DeviceVector& x, bool by_parts) {
  if (x.size == 0) return {-1, dd_real(0)};
  // Few, so that the last one finds little to look at, and as many as run at the same time.
  const std::int64_t most = std::max<std::int64_t>(2 * call().context().info.compute_units, 16);
  const std::int64_t groups = std::min(blocks(x.size, 8 * items), most);
  // A candidate is a part, and then its place, each as wide as the wider of both.
  const std::int64_t half = std::max<std::int64_t>(part_bytes(), 8);
  const cl::Buffer candidates = call().borrow((1 + groups) * 2 * half, "largest elements");
  const cl::Buffer arrivals = call().borrow_counters(1, "arrivals");
  opencl::BorrowedKernel k =
      kernel("blas/largest.cl", "find_largest", define("BY_PARTS", by_parts) + meeting_option(call().context()));
  set_arguments(k, x.buffer, candidates, arrivals,
                opencl::sum_arguments{.x = view_of(x), .y = view_of(x), .size = x.size, .exponent = 0});
  call().launch_groups(*k, groups, items);
  std::byte words[32];
  call().read(candidates, static_cast<std::size_t>(2 * half), words);
  std::int64_t index;
  std::memcpy(&index, words + half, sizeof index);
  return {index, part_of(words)};
}

}  // namespace hilo::blas
