// The public functions of array.hpp: arguments are checked, and the best kernels of this CPU do the rest.
#include <algorithm>
#include <bit>
#include <functional>
#include <hilo/array.hpp>
#include <string>

#include "dd/kernels.hpp"
#include "dd/reduction.hpp"
#include "host/door.hpp"

namespace hilo::array {
namespace {

const KernelSet& best() {
  static const KernelSet& set = *kernel_sets().front();
  return set;
}

struct Named {
  const char* name;
  Input x;
};

void check_same_size(const Named& x, const Named& y) {
  if (x.x.size() == y.x.size()) return;
  throw error(errc::invalid_argument, std::string(y.name) + " has " + std::to_string(y.x.size()) + " elements, but " +
                                          x.name + " has " + std::to_string(x.x.size()));
}

bool overlap(Input x, Input y) {
  std::less<const dd_real*> before;
  return !x.empty() && !y.empty() && before(x.data(), y.data() + y.size()) && before(y.data(), x.data() + x.size());
}

void check_overlap(const Named& x, const Named& out, bool may_be_the_same = true) {
  if (!overlap(x.x, out.x) || (may_be_the_same && x.x.data() == out.x.data())) return;
  throw error(errc::invalid_argument, std::string(out.name) + " overlaps " + x.name + " in memory" +
                                          (may_be_the_same ? " without being the same array" : ""));
}

// What all functions do besides.
template <class F>
auto call(F f) {
  return host::door("array: no memory", f);
}

// The number of elements.
std::int64_t check(Input x, Output out) {
  check_same_size({"x", x}, {"out", out});
  check_overlap({"x", x}, {"out", out});
  return static_cast<std::int64_t>(x.size());
}
std::int64_t check(Input x, Input y, Output out) {
  check_same_size({"x", x}, {"y", y});
  check_overlap({"y", y}, {"out", out});
  return check(x, out);
}

template <class Terms>
dd_real finite_or_plain(dd_real sum, std::int64_t n, Terms terms) {
  return sum.hi - sum.hi == 0.0 ? sum : plain_sum(n, terms);
}

std::int64_t parts(std::int64_t n, std::int64_t length) { return n / length + (n % length != 0); }

// How many rounded additions of the accurate kind follow those of a chunk, on the way of any term: docs/array.md.
std::int64_t additions_after_chunk(std::int64_t n) {
  std::int64_t rows = parts(n, columns);
  std::int64_t chunks = std::min(parts(rows, chunk_rows), superchunk_rows / chunk_rows);
  const auto halvings = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(std::min(n, columns) - 1)));
  return (chunks - 1) + (parts(rows, superchunk_rows) - 1) + halvings;
}

double error_bound(std::int64_t n, int first_step, int step) {
  if (n <= 0) return 0.0;
  std::int64_t steps = std::min(parts(n, columns), chunk_rows);
  // The last unit is for the terms of higher order.
  return static_cast<double>(first_step + step * (steps - 1) + 3 * additions_after_chunk(n) + 1);
}

}  // namespace

void add(Input x, Input y, Output out) {
  call([&] { best().add(check(x, y, out), x.data(), y.data(), out.data()); });
}
void subtract(Input x, Input y, Output out) {
  call([&] { best().subtract(check(x, y, out), x.data(), y.data(), out.data()); });
}
void multiply(Input x, Input y, Output out) {
  call([&] { best().multiply(check(x, y, out), x.data(), y.data(), out.data()); });
}
void divide(Input x, Input y, Output out) {
  call([&] { best().divide(check(x, y, out), x.data(), y.data(), out.data()); });
}

void add(Input x, dd_real a, Output out) {
  call([&] { best().add_number(check(x, out), x.data(), a, out.data()); });
}
void add(dd_real a, Input x, Output out) { add(x, a, out); }
void subtract(Input x, dd_real a, Output out) { add(x, -a, out); }
void subtract(dd_real a, Input x, Output out) {
  call([&] { best().number_minus(check(x, out), x.data(), a, out.data()); });
}
void multiply(Input x, dd_real a, Output out) {
  call([&] { best().multiply_number(check(x, out), x.data(), a, out.data()); });
}
void multiply(dd_real a, Input x, Output out) { multiply(x, a, out); }
void divide(Input x, dd_real a, Output out) {
  call([&] { best().divide_number(check(x, out), x.data(), a, out.data()); });
}
void divide(dd_real a, Input x, Output out) {
  call([&] { best().number_over(check(x, out), x.data(), a, out.data()); });
}

void sqrt(Input x, Output out) {
  call([&] { best().square_root(check(x, out), x.data(), out.data()); });
}
void exp(Input x, Output out) {
  call([&] { best().exponential(check(x, out), x.data(), out.data()); });
}
void log(Input x, Output out) {
  call([&] { best().logarithm(check(x, out), x.data(), out.data()); });
}
void sin(Input x, Output out) {
  call([&] { best().sine(check(x, out), x.data(), out.data()); });
}
void cos(Input x, Output out) {
  call([&] { best().cosine(check(x, out), x.data(), out.data()); });
}
void sincos(Input x, Output sine, Output cosine) {
  call([&] {
    for (Named out : {Named{"sine", sine}, Named{"cosine", cosine}}) {
      check_same_size({"x", x}, out);
      check_overlap({"x", x}, out);
    }
    check_overlap({"sine", sine}, {"cosine", cosine}, false);
    best().sine_cosine(static_cast<std::int64_t>(x.size()), x.data(), sine.data(), cosine.data());
  });
}

void axpy(dd_real alpha, Input x, Output y) {
  call([&] {
    check_same_size({"x", x}, {"y", y});
    check_overlap({"x", x}, {"y", y});
    const auto n = static_cast<std::int64_t>(x.size());
    best().axpy(n, alpha, x.data(), y.data(), host::ahead_of(2 * n * static_cast<std::int64_t>(sizeof(dd_real))));
  });
}

dd_real dot(Input x, Input y) {
  return call([&] {
    check_same_size({"x", x}, {"y", y});
    auto n = static_cast<std::int64_t>(x.size());
    return finite_or_plain(best().dot(n, x.data(), y.data()), n, ScalarDotTerms{x.data(), y.data()});
  });
}

dd_real sum(Input x) {
  return call([&] {
    auto n = static_cast<std::int64_t>(x.size());
    return finite_or_plain(best().sum(n, x.data()), n, ScalarSumTerms{x.data()});
  });
}

double dot_error_bound_u2(std::int64_t n) { return error_bound(n, 13, 6); }
double sum_error_bound_u2(std::int64_t n) { return error_bound(n, 3, 3); }

}  // namespace hilo::array

namespace hilo::detail {

using array::best, array::call, array::check, array::Input, array::Output;

void add_word(Input x, double a, Output out) {
  call([&] { best().add_word(check(x, out), x.data(), a, out.data()); });
}
void word_minus(double a, Input x, Output out) {
  call([&] { best().word_minus(check(x, out), x.data(), a, out.data()); });
}
void multiply_word(Input x, double a, Output out) {
  call([&] { best().multiply_word(check(x, out), x.data(), a, out.data()); });
}
void divide_word(Input x, double a, Output out) {
  call([&] { best().divide_word(check(x, out), x.data(), a, out.data()); });
}

}  // namespace hilo::detail
