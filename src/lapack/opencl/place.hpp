// Where factorisations run on a device.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "blas/opencl/place.hpp"

namespace hilo::lapack {

class DevicePlace : public blas::DevicePlace {
 public:
  using blas::DevicePlace::DevicePlace;

  /// Room for the pivots of a factorisation of so many columns, or those of one, counted from 1.
  void make_pivots(std::int64_t count);
  void set_pivots(std::span<const std::int64_t> pivots);

  /// Known only at the end: what follows is of no particular value then.
  bool has_failed() const { return false; }

  void lu_panel(const Matrix& a, std::int64_t first);
  void cholesky_block(const Matrix& a, std::int64_t first);
  void move_rows(const Matrix& b, std::int64_t first, std::int64_t count);
  void move_rows_back(const Matrix& b, std::int64_t first, std::int64_t count);

  /// Waits for all commands: the info of the factorisation, and its pivots.
  std::int64_t result(std::span<std::int64_t> pivots);

 private:
  struct Moves {
    cl::Buffer from, to;
  };
  const Moves& moves_of(std::int64_t first, std::int64_t count);
  void move(const Matrix& b, std::int64_t first, std::int64_t count, bool back);
  cl::Buffer info();

  cl::Buffer pivots_, info_, published_, sizes_, numbers_;
  std::map<std::pair<std::int64_t, std::int64_t>, Moves> moves_;
};

}  // namespace hilo::lapack
