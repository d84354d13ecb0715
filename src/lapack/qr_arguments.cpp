#include "lapack/qr_arguments.hpp"

#include <algorithm>

namespace hilo::lapack {
namespace {

using blas::Argument;
using blas::Arguments;
using std::to_string;

void check_not_null(const Arguments& check, const TauArgument& tau) {
  if (tau.size > 0 && !tau.data) check.reject(errc::invalid_argument, "tau is null");
}

void check_apart(const Arguments& check, const TauArgument& tau, const Argument& written) {
  check.check_apart(blas::VectorArgument{"tau", tau.size, 1, tau.data}, written);
}

// Numbers tau of reflectors in A's first columns.
void check_reflectors(const Arguments& check, const TauArgument& tau, const Argument& a) {
  if (tau.size > std::min(a.lines.rows, a.lines.columns)) {
    check.reject(errc::invalid_argument, "tau has " + to_string(tau.size) + " numbers, more than A, " +
                                             to_string(a.lines.rows) + " x " + to_string(a.lines.columns) +
                                             ", has reflectors");
  }
  check_not_null(check, tau);
}

}  // namespace

void check_factors(const Arguments& check, const Argument& a, const TauArgument& tau) {
  check.check_result(a);
  const std::int64_t count = std::min(a.lines.rows, a.lines.columns);
  if (tau.size < count) {
    check.reject(errc::invalid_argument,
                 "tau has room for " + to_string(tau.size) + ", of " + to_string(count) + " reflectors");
  }
  check_not_null(check, tau);
  check_apart(check, {count, tau.data}, a);
}

void check_product(const Arguments& check, Side side, Op op, const Argument& a, const TauArgument& tau,
                   const Argument& c) {
  check.check_enum(static_cast<int>(side), 1, "side");
  check.check_enum(static_cast<int>(op), 3, "op");
  check.check(a);
  check.check_result(c);
  const bool is_left = side == Side::left;
  check.check_equal("rows of A", a.lines.rows, is_left ? "rows of C" : "columns of C",
                    is_left ? c.lines.rows : c.lines.columns);
  check_reflectors(check, tau, a);
  check.check_apart(c, a);
  check_apart(check, tau, c);
}

void check_columns(const Arguments& check, const Argument& a, const TauArgument& tau) {
  check.check_result(a);
  if (a.lines.columns > a.lines.rows) {
    check.reject(errc::invalid_argument, "columns of A = " + to_string(a.lines.columns) +
                                             " is more than rows of A = " + to_string(a.lines.rows));
  }
  check_reflectors(check, tau, a);
  check_apart(check, tau, a);
}

void check_least_squares(const Arguments& check, Op op, const Argument& a, const Argument& b) {
  check.check_enum(static_cast<int>(op), 3, "op");
  check.check_result(a);
  check.check_result(b);
  check.check_equal("rows of B", b.lines.rows, "the larger size of A", std::max(a.lines.rows, a.lines.columns));
  check.check_apart(b, a);
}

}  // namespace hilo::lapack
