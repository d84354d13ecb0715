// What MPLAPACK's routines are given: letters, leading dimensions, arrays of QD's dd_real.
#pragma once

#include <qd/dd_real.h>

#include <algorithm>
#include <cstdint>
#include <hilo/blas.hpp>
#include <hilo/interop/qd.hpp>

using mplapackint = std::int64_t;

/// Called with a routine's name and the number of its argument that cannot be right. Weak: MPLAPACK's, and a program's
/// own, come before it.
void Mxerbla_dd(const char* routine, int argument);

namespace hilo::mplapack {

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
  Check& op(int argument, const char* word) { return letter(argument, word, "ntc"); }
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

inline Op op(const char* word) { return is_letter(word, 'n') ? Op::none : Op::transpose; }
inline Uplo uplo(const char* word) { return is_letter(word, 'u') ? Uplo::upper : Uplo::lower; }
inline Side side(const char* word) { return is_letter(word, 'l') ? Side::left : Side::right; }
inline Diag diag(const char* word) { return is_letter(word, 'u') ? Diag::unit : Diag::non_unit; }

inline constexpr Layout layout = Layout::column;

}  // namespace hilo::mplapack
