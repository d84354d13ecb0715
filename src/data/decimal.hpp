// Real numbers of text files in any precision: read correctly rounded, written with the digits that reading back
// exactly needs.
#pragma once

#include <string>
#include <string_view>

namespace hilo::data {

/// Reads all of `text` as a finite decimal number, correctly rounded (dd_real: hi = RN(x), lo = RN(x − hi)).
/// Returns what is wrong with it, in words that quote it; empty if nothing is.
template <class Real>
std::string read_decimal(std::string_view text, Real& value);

/// Appends a finite number.
template <class Real>
void append_decimal(std::string& out, Real value);

}  // namespace hilo::data
