// What MPLAPACK's routines are given: letters, leading dimensions, numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <hilo/blas.hpp>
#include <string>
#include <vector>

#include "dd_complex.hpp"

using mplapackint = std::int64_t;

/// Called with a routine's name and the number of its argument that cannot be right. Weak: MPLAPACK's, and a program's
/// own, come before it.
void Mxerbla_dd(const char* routine, int argument);

namespace hilo::mplapack {

using Int = mplapackint;
using Real = ::dd_real;        ///< the caller's numbers
using Complex = ::dd_complex;  ///< the same

/// Whether a word of LAPACK's begins with that letter, large or small.
inline bool is_letter(const char* word, char letter) { return (*word | 0x20) == letter; }

/// The number of the first argument that cannot be right, counted from 1; 0 if there is none.
class Check {
 public:
  Check& letter(int argument, const char* word, const char* letters) {
    bool is_right = false;
    for (; *letters; ++letters) is_right = is_right || is_letter(word, *letters);
    return right(argument, is_right);
  }
  Check& uplo(int argument, const char* word) { return letter(argument, word, "ul"); }
  Check& side(int argument, const char* word) { return letter(argument, word, "lr"); }
  Check& op(int argument, const char* word, const char* letters = "ntc") { return letter(argument, word, letters); }
  Check& size(int argument, mplapackint n) { return right(argument, n >= 0); }
  Check& leading(int argument, mplapackint leading, mplapackint rows) {
    return right(argument, leading >= std::max<mplapackint>(rows, 1));
  }
  Check& increment(int argument, mplapackint increment) { return right(argument, increment != 0); }
  Check& right(int argument, bool is_right) {
    if (!is_right && wrong_ == 0) wrong_ = argument;
    return *this;
  }

  /// Whether all are right; otherwise Mxerbla_dd has been called.
  bool passes(const char* routine) const {
    if (wrong_ != 0) Mxerbla_dd(routine, wrong_);
    return wrong_ == 0;
  }
  mplapackint info() const { return -wrong_; }

 private:
  int wrong_ = 0;
};

inline Op op(const char* word) {
  return is_letter(word, 'n') ? Op::none : is_letter(word, 'c') ? Op::conjugate_transpose : Op::transpose;
}
inline Uplo uplo(const char* word) { return is_letter(word, 'u') ? Uplo::upper : Uplo::lower; }
inline Side side(const char* word) { return is_letter(word, 'l') ? Side::left : Side::right; }
inline Diag diag(const char* word) { return is_letter(word, 'u') ? Diag::unit : Diag::non_unit; }

inline constexpr Layout layout = Layout::column;

/// Whether a routine with a workspace is to run: its arguments are right, `argument`, lwork, among them, and it was not
/// asked how much it takes, which is -1 for lwork. hilo has a workspace of its own: what LAPACK asks for at least is
/// also the best, which work[0] says.
template <class N>
bool has_workspace(Check& check, const char* routine, int argument, Int least, N* work, Int lwork, Int& info) {
  const bool is_query = lwork == -1;
  check.right(argument, is_query || lwork >= least);
  info = check.info();
  if (!check.passes(routine)) return false;
  *in_place(work) = static_cast<double>(least);
  return !is_query;
}

/// So many numbers of a routine's own.
template <class T>
std::vector<T> own_numbers(const char* routine, Int rows, Int columns) {
  try {
    return std::vector<T>(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  } catch (const std::exception&) {
    throw error(errc::out_of_memory, std::string(routine) + ": no memory for " + std::to_string(rows) + " x " +
                                         std::to_string(columns) + " numbers");
  }
}

}  // namespace hilo::mplapack
