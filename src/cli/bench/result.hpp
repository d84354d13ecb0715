// What `hilo bench` prints.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/bench/sweep.hpp"

namespace hilo::cli {

struct BenchResult {
  const BenchRequest& request;
  std::string init;  ///< as --init takes it
  std::string plot;  ///< the picture's name; empty where there is none
  std::string csv;   ///< the file's name with comma-separated values; empty where there is none
  bool is_interrupted = false;
  BenchFindings findings = {};
};

/// Operations in 10^9 a second, by the median of the seconds and by the least; 0 where no time has passed.
struct Speed {
  double median, best;
};
Speed kernel_speed(const BenchRow& row);
Speed total_speed(const BenchRow& row);

/// In what the cases of a benchmark differ, but for their engines.
struct Differences {
  bool routine, precision, transposes, place, threads;
};
Differences differences(const std::vector<BenchCase>& cases);

/// Whether a case runs on a device, where data is moved.
bool moves_data(const BenchRequest& request);

/// "NT", or "N" of a routine that takes one, or empty.
std::string transposes(const BenchCase& what);
/// "cpu", "opencl" or, of a device that is named, "opencl 0:1".
std::string place_name(const Place& place);

/// What computes: on the CPU its model before it.
std::string units(const BenchResult& result);

/// A ratio or an error; none where there was no measurement.
std::optional<double> error_of(const BenchRow& row);

/// The reference, once it has run; null before.
const ReferenceSpeed* reference(const BenchResult& result);

/// One JSON object with fixed keys; what does not apply is null.
void print_json(std::ostream& out, const BenchResult& result);

/// Comma-separated values (RFC 4180): a line of names, and one for each object of the JSON object's `results`, with the
/// names of its keys; what does not apply is empty. What all have in common stands in front.
void print_csv(std::ostream& out, const BenchResult& result);

}  // namespace hilo::cli
