// What ranks tell each other besides what hilo::distributed does for them. All of them call these together.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace hilo::cli {

/// Rank 0's text, on every rank.
std::string from_first_rank(std::string text);
/// Rank 0's numbers, on every rank.
void from_first_rank(std::span<std::int64_t> numbers);

std::int64_t sum_of_ranks(std::int64_t x);
double largest_of_ranks(double x);
/// On rank 0 each number becomes the sum of all ranks'.
void add_on_first_rank(std::span<double> x);

}  // namespace hilo::cli
