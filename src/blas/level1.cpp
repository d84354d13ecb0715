// Level 1 on the host: arguments -> parts of vectors -> kernels.
#include <cmath>
#include <hilo/blas.hpp>
#include <hilo/math.hpp>

#include "blas/arguments.hpp"
#include "blas/cpu/native_vectors.hpp"
#include "blas/cpu/vector_sums.hpp"
#include "blas/cpu/vectors.hpp"
#include "blas/door.hpp"

namespace hilo {
namespace {

using blas::argument;
using blas::Arguments;
using blas::VectorArithmetic;
using blas::VectorCall;

// f(call) on checked vectors of one size; `is_apart` where the last is a result, which shares nothing with the others.
template <gemm_scalar T, class F, class... View>
auto door(const char* routine, const BlockedOptions& options, bool is_apart, F f, const View&... views) {
  return blas::door(routine, [&] {
    const Arguments check(routine, sizeof(T));
    check.check_options(precision_of<T>, Backend::cpu, options);
    constexpr const char* names[] = {"x", "y"};
    const blas::VectorArgument arguments[] = {argument("", views)...};
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < sizeof...(View); ++i) {
      blas::VectorArgument x = arguments[i];
      x.name = names[i];
      check.check(x);
      if (i > 0) {
        const blas::VectorArgument& first = arguments[0];
        check.check_equal("elements of y", x.size, "elements of x", first.size);
        if (is_apart) check.check_apart(x, blas::VectorArgument{"x", first.size, first.stride, first.data, nullptr});
      }
      bytes += x.size * static_cast<std::int64_t>(sizeof(T));
    }
    return f(VectorCall(precision_of<T>, options, bytes));
  });
}

template <class T>
void fill_with_zeros(int threads, const VectorView<T>& x) {
  host::for_parts(threads, x.size, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) x(i) = T(0);
  });
}

// An element and where it is.
template <class R>
struct Largest {
  std::int64_t index = -1;
  R magnitude{};

  bool is_nan() const { return !(magnitude == magnitude); }
  void take(std::int64_t i, const R& m) {
    if (index < 0 || (!is_nan() && !(m <= magnitude))) *this = {i, m};
  }
};

// `magnitude` is not below |Re x| + |Im x| where the sum of their hi parts is not above this.
template <class R>
auto bound_of(const R& magnitude) {
  if constexpr (std::same_as<R, dd_real>) {
    return magnitude.hi * (1.0 - 0x1p-40);
  } else {
    return magnitude;
  }
}

template <class T>
real_type<T> magnitude(const T& x) {
  using std::abs;
  if constexpr (is_complex(precision_of<T>)) {
    return abs(x.real()) + abs(x.imag());
  } else {
    return abs(x);
  }
}

template <gemm_scalar T>
Largest<real_type<T>> largest_of(host::Ahead ahead, const VectorView<const T>& x, std::int64_t begin,
                                 std::int64_t end) {
  constexpr std::int64_t part = 512;
  Largest<real_type<T>> largest;
  for (std::int64_t first = begin; first < end && !largest.is_nan(); first += part) {
    const std::int64_t n = std::min(part, end - first);
    // Most parts have nothing that is as large as what others have.
    if (x.stride == 1 && largest.index >= 0 &&
        !blas::native::is_any_above(ahead, n, &x(first), bound_of(largest.magnitude))) {
      continue;
    }
    for (std::int64_t i = first; i < first + n && !largest.is_nan(); ++i) largest.take(i, magnitude(x(i)));
  }
  return largest;
}

// x · 2^e of any precision, exactly where it does not underflow.
template <class T>
T scaled(const T& x, int e) {
  using std::ldexp;
  if constexpr (is_complex(precision_of<T>)) {
    return T(ldexp(x.real(), e), ldexp(x.imag(), e));
  } else {
    return ldexp(x, e);
  }
}

// The exponent of the larger part; 0 of 0, Inf and NaN.
template <class T>
int exponent_of(const T& x) {
  double most;
  if constexpr (std::same_as<T, dd_real>) {
    most = std::fabs(x.hi);
  } else if constexpr (is_complex(precision_of<T>)) {
    return std::max(exponent_of(x.real()), exponent_of(x.imag()));
  } else {
    most = static_cast<double>(std::fabs(x));
  }
  return most > 0.0 && most <= std::numeric_limits<double>::max() ? std::ilogb(most) : -2000;
}

}  // namespace

template <gemm_scalar T>
void axpy(detail::Scalar<T> alpha, const detail::VectorOperand<T>& x, const VectorView<T>& y,
          const BlockedOptions& options) {
  door<T>(
      "axpy", options, true,
      [&](const VectorCall& call) {
        if (alpha == T(0)) return;
        const VectorArithmetic<T> arithmetic(call);
        blas::for_parts_of(call.threads, x, y,
                           [&](std::int64_t n, const T* from, T* to) { arithmetic.axpy(n, alpha, from, to); });
      },
      x, y);
}

template <gemm_scalar T>
void scal(detail::Scalar<T> alpha, const VectorView<T>& x, const BlockedOptions& options) {
  door<T>(
      "scal", options, false,
      [&](const VectorCall& call) {
        if (alpha == T(0)) return fill_with_zeros(call.threads, x);
        const VectorArithmetic<T> arithmetic(call);
        blas::for_parts_of(call.threads, x, [&](std::int64_t n, T* to) { arithmetic.scale(n, alpha, to); });
      },
      x);
}

template <gemm_scalar T>
void swap(VectorView<T> x, VectorView<T> y, const BlockedOptions& options) {
  door<T>(
      "swap", options, true,
      [&](const VectorCall& call) {
        host::for_parts(call.threads, x.size, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) {
            const T left = x(i);
            x(i) = y(i);
            y(i) = left;
          }
        });
      },
      x, y);
}

template <gemm_scalar T>
void rot(const VectorView<T>& x, const VectorView<T>& y, real_type<T> c, detail::Scalar<T> s,
         const BlockedOptions& options) {
  door<T>(
      "rot", options, true,
      [&](const VectorCall& call) {
        const VectorArithmetic<T> arithmetic(call);
        blas::for_parts_of(call.threads, x, y,
                           [&](std::int64_t n, T* left, T* right) { arithmetic.rotate(n, c, s, left, right); });
      },
      x, y);
}

template <gemm_scalar T>
void rotg(T& a, detail::Scalar<T>& b, real_type<T>& c, detail::Scalar<T>& s) {
  using R = real_type<T>;
  using std::abs, std::ldexp, std::sqrt;
  const host::IeeeArithmetic ieee;
  const auto zero = T(0);
  if (b == zero) {
    c = R(1);
    s = zero;
    if constexpr (!is_complex(precision_of<T>)) b = zero;
    return;
  }
  const int e = std::max({exponent_of(a), exponent_of(b), -1900});
  if constexpr (is_complex(precision_of<T>)) {
    const auto norm = [](const T& z) { return sqrt(z.real() * z.real() + z.imag() * z.imag()); };
    const auto times = [](const R& x, const T& z) { return T(x * z.real(), x * z.imag()); };
    const T g = scaled(b, -e);
    const R g_norm = norm(g);
    T direction(1);
    R f_norm(0);
    if (!(a == zero)) {
      // Of its own scale, as b may be far larger.
      const int e_a = exponent_of(a) == -2000 ? 0 : exponent_of(a);
      const T f = scaled(a, -e_a);
      const R length = norm(f);
      direction = T(f.real() / length, f.imag() / length);
      f_norm = ldexp(length, e_a - e);
    }
    const R h = sqrt(f_norm * f_norm + g_norm * g_norm);
    const R re = g.real() / h, im = -(g.imag() / h);
    c = f_norm / h;
    s = T(direction.real() * re - direction.imag() * im, direction.real() * im + direction.imag() * re);
    a = scaled(times(h, direction), e);
  } else {
    const R f = scaled(a, -e), g = scaled(b, -e);
    const bool is_a = abs(a) > abs(b);
    R r = sqrt(f * f + g * g);
    if ((is_a ? a : b) < zero) r = -r;
    c = f / r;
    s = g / r;
    a = ldexp(r, e);
    b = is_a ? s : c == zero ? R(1) : R(1) / c;
  }
}

namespace detail {

template <gemm_scalar T>
void copy(const VectorView<const T>& x, const VectorView<T>& y, const BlockedOptions& options) {
  door<T>(
      "copy", options, true,
      [&](const VectorCall& call) {
        host::for_parts(call.threads, x.size, [&](std::int64_t begin, std::int64_t end) {
          if (x.stride == 1 && y.stride == 1) {
            std::copy(x.data + begin, x.data + end, y.data + begin);
          } else {
            for (std::int64_t i = begin; i < end; ++i) y(i) = x(i);
          }
        });
      },
      x, y);
}

template <gemm_scalar T>
T dot(const VectorView<const T>& x, const VectorView<const T>& y, bool conjugate, const BlockedOptions& options) {
  return door<T>(
      conjugate ? "dot" : "dotu", options, false,
      [&](const VectorCall& call) { return blas::sum_of_products<T>(call, x, y, conjugate); }, x, y);
}

template <gemm_scalar T>
real_type<T> nrm2(const VectorView<const T>& x, const BlockedOptions& options) {
  return door<T>(
      "nrm2", options, false, [&](const VectorCall& call) { return blas::root_of_squares<T>(call, x); }, x);
}

template <gemm_scalar T>
real_type<T> asum(const VectorView<const T>& x, const BlockedOptions& options) {
  return door<T>(
      "asum", options, false, [&](const VectorCall& call) { return blas::sum_of_magnitudes<T>(call, x); }, x);
}

template <gemm_scalar T>
std::int64_t iamax(const VectorView<const T>& x, const BlockedOptions& options) {
  return door<T>(
      "iamax", options, false,
      [&](const VectorCall& call) {
        constexpr int most_threads = 256;
        const int threads = std::min(call.threads, most_threads);
        Largest<real_type<T>> parts[most_threads], largest;
        host::for_each(threads, threads, [&](std::int64_t i, int) {
          parts[i] = largest_of<T>(call.ahead, x, x.size * i / threads, x.size * (i + 1) / threads);
        });
        for (int i = 0; i < threads; ++i) {
          if (parts[i].index >= 0) largest.take(parts[i].index, parts[i].magnitude);
        }
        return largest.index;
      },
      x);
}

}  // namespace detail

#define HILO_INSTANTIATE(T)                                                                                       \
  template void axpy<T>(T, const VectorView<const T>&, const VectorView<T>&, const BlockedOptions&);              \
  template void scal<T>(T, const VectorView<T>&, const BlockedOptions&);                                          \
  template void swap<T>(VectorView<T>, VectorView<T>, const BlockedOptions&);                                     \
  template void rot<T>(const VectorView<T>&, const VectorView<T>&, real_type<T>, T, const BlockedOptions&);       \
  template void rotg<T>(T&, T&, real_type<T>&, T&);                                                               \
  template void detail::copy<T>(const VectorView<const T>&, const VectorView<T>&, const BlockedOptions&);         \
  template T detail::dot<T>(const VectorView<const T>&, const VectorView<const T>&, bool, const BlockedOptions&); \
  template real_type<T> detail::nrm2<T>(const VectorView<const T>&, const BlockedOptions&);                       \
  template real_type<T> detail::asum<T>(const VectorView<const T>&, const BlockedOptions&);                       \
  template std::int64_t detail::iamax<T>(const VectorView<const T>&, const BlockedOptions&);
HILO_INSTANTIATE(float)
HILO_INSTANTIATE(double)
HILO_INSTANTIATE(std::complex<float>)
HILO_INSTANTIATE(std::complex<double>)
HILO_INSTANTIATE(dd_real)
HILO_INSTANTIATE(dd_complex)
#undef HILO_INSTANTIATE

}  // namespace hilo
