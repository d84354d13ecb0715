#include <algorithm>
#include <hilo/pack.hpp>

#include "number_loops.hpp"

namespace hilo::bench {
namespace {

template <class Operation>
[[gnu::noinline]] void loop(std::int64_t n, const double* x, const double* y, double* out) {
  using Pack = dd_pack<8>;
  auto* a = reinterpret_cast<const dd_real*>(x);
  auto* b = reinterpret_cast<const dd_real*>(y);
  auto* c = reinterpret_cast<dd_real*>(out);
  auto end = static_cast<std::size_t>(n), i = std::size_t{0};
  for (; i + Pack::size() <= end; i += Pack::size()) Operation()(Pack::load(a + i), Pack::load(b + i)).store(c + i);
  if (i < end) Operation()(Pack::load(a + i, end - i), Pack::load(b + i, end - i)).store(c + i, end - i);
}

constexpr auto add = [](auto x, auto y) { return x + y; };
constexpr auto multiply = [](auto x, auto y) { return x * y; };
constexpr auto divide = [](auto x, auto y) { return x / y; };
constexpr auto square_root = [](auto x, auto) { return sqrt(x); };
constexpr auto exponential = [](auto x, auto) { return exp(x); };
constexpr auto logarithm = [](auto x, auto) { return log(x); };
constexpr auto sine = [](auto x, auto) { return sin(x); };
constexpr auto cosine = [](auto x, auto) { return cos(x); };

}  // namespace

const NumberLoops pack_loops = {
    .add = loop<decltype(add)>,
    .multiply = loop<decltype(multiply)>,
    .divide = loop<decltype(divide)>,
    .sqrt = loop<decltype(square_root)>,
    .exp = loop<decltype(exponential)>,
    .log = loop<decltype(logarithm)>,
    .sin = loop<decltype(sine)>,
    .cos = loop<decltype(cosine)>,
    .scalar_add = nullptr,
    .scalar_multiply = nullptr,
    .scalar_divide = nullptr,
    .add_chain = nullptr,
    .multiply_chain = nullptr,
    .multiply_add_chain = nullptr,
    .divide_chain = nullptr,
    .sqrt_chain = nullptr,
    .exp_chain = nullptr,
    .log_chain = nullptr,
    .sin_chain = nullptr,
};

}  // namespace hilo::bench
