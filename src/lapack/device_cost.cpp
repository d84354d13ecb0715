#include "lapack/device_cost.hpp"

#include "blas/symmetric.hpp"
#include "gemm/device_cost.hpp"
#include "lapack/cost_place.hpp"

namespace hilo::lapack {
namespace {

// Of an H200 (docs/linear-algebra.md, "Speed"): seconds of a launch, of a column of a panel and more for each of its
// rows, of a solve with a block of 64 rows however few its columns, without quotients and with them, and of a block of
// 64 rows on Cholesky's diagonal; multiply-adds of solves, and bytes that exchanges of rows move, a second.
constexpr double units = 132.0;
constexpr double launch = 4e-6, panel_column = 2.4e-6, panel_row = 7e-11;
constexpr double unit_solve = 15e-6, solve_with_quotients = 30e-6, diagonal_block = 55e-6;
constexpr double solve_rate = 5e11, move_rate = 2e12;
constexpr double element_bytes_moved = 32.0;
// Of what chooses a product's engine, which keeps a margin.
constexpr double direct_part = 0.8;

class DeviceCosts {
 public:
  DeviceCosts(const DeviceInfo& device, modular::ByteUnit unit)
      : device_(device), unit_(unit), share_(device.compute_units / units) {}

  std::int64_t diagonal_rows() const { return blas::common_square; }
  bool takes_triangle(std::int64_t rows, std::int64_t columns) const { return rows == columns; }

  double product(const GemmShape& shape, bool is_triangle) const {
    const DeviceExpectation e = expected_inside(device_, unit_, Precision::dd, shape);
    const double seconds = e.faster() == Engine::direct ? direct_part * e.seconds_direct : e.seconds_modular;
    return seconds * (is_triangle ? 0.5 : 1.0);
  }
  double solve(std::int64_t rows, std::int64_t columns, Diag diag) const {
    const double steps = 0.5 * static_cast<double>(rows) * static_cast<double>(rows) * static_cast<double>(columns);
    return (diag == Diag::unit ? unit_solve : solve_with_quotients) + steps / (solve_rate * share_);
  }
  double lu_panel(std::int64_t rows, std::int64_t columns) const {
    return launch + static_cast<double>(columns) * (panel_column + panel_row * static_cast<double>(rows));
  }
  double cholesky_block(std::int64_t) const { return diagonal_block; }
  double move(std::int64_t rows, std::int64_t columns) const {
    return launch +
           element_bytes_moved * static_cast<double>(rows) * static_cast<double>(columns) / (move_rate * share_);
  }

 private:
  const DeviceInfo& device_;
  modular::ByteUnit unit_;
  double share_;
};

}  // namespace

double lu_seconds_on_device(const DeviceInfo& device, modular::ByteUnit unit, std::int64_t n) {
  return lu_by(DeviceCosts(device, unit), Precision::dd, n);
}

double cholesky_seconds_on_device(const DeviceInfo& device, modular::ByteUnit unit, std::int64_t n) {
  return cholesky_by(DeviceCosts(device, unit), Precision::dd, n);
}

}  // namespace hilo::lapack
