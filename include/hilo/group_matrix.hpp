// Matrices in the memories of several devices: what is computed with them needs no host memory at its ends.
//
//   hilo::DeviceGroup devices;
//   hilo::GroupMatrix<hilo::dd_real> a(devices, n, n);
//   a.write(x);                                       // from a view of host memory
//   std::int64_t info = getrf(a, pivots);             // in its place, the bits of one device
//   getrs(hilo::Op::none, a, pivots, b);              // b: a view of host memory
//
// The distribution is a one-dimensional block-cyclic one, by columns: blocks go to the devices round robin. Their
// widths are what halving the columns leads to, so that each product of a factorisation is the one that it is on one
// device: no more than 8 · block, and more than half of that where there are so many.
//
// Bits, pivots and info are those of the same routine on a matrix in the first device's memory, columns contiguous,
// with the same options. In factorisations of D and Z Engine::automatic is Engine::direct; engines and accuracies whose
// products depend on all entries are refused there as unsupported: Engine::modular, Engine::reproducible,
// Accuracy::bits and Accuracy::normwise.
//
// What is wrong with arguments is said before anything is written. Where a device fails later, the others stop, and the
// message names it and says what is undefined; matrices can be written to and used again. A matrix is used by one call
// at a time; calls on different ones may run at once.
#pragma once

#include <cstdint>
#include <hilo/blas.hpp>
#include <hilo/device_group.hpp>
#include <memory>
#include <span>
#include <vector>

namespace hilo {

namespace stream {
struct GroupMatrixState;
}  // namespace stream

/// rows × columns elements in device memory, of no particular value until they are written. Moved, not copied; one that
/// was moved from may only be destroyed or assigned to.
template <gemm_scalar T>
class GroupMatrix {
 public:
  /// `block`: the options.block of routines that are to factor it; 0: their default. Each device has memory for its
  /// columns; those of a group with more devices than blocks have none. Throws invalid_argument, and out_of_memory,
  /// naming sizes.
  GroupMatrix(const DeviceGroup& devices, std::int64_t rows, std::int64_t columns, std::int64_t block = 0);
  ~GroupMatrix();
  GroupMatrix(GroupMatrix&&) noexcept;
  GroupMatrix& operator=(GroupMatrix&&) noexcept;

  std::int64_t rows() const;
  std::int64_t columns() const;
  std::int64_t block() const;
  const DeviceGroup& devices() const;

  /// Columns first … first + count − 1 and their device, counted from 0.
  struct Columns {
    std::int64_t first, count;
    int device;
  };
  /// All of them, in order.
  std::vector<Columns> distribution() const;

  /// All of it from host memory, at the bus's rate where that is pinned (HostBuffer), by all devices at a time; done on
  /// return. Throws invalid_argument where the view has other sizes.
  void write(const detail::Operand<T>& from);
  /// And to it.
  void read(const MatrixView<T>& to) const;

  stream::GroupMatrixState& state() const { return *state_; }

 private:
  std::unique_ptr<stream::GroupMatrixState> state_;
};

/// C = alpha · A · B + beta · C, all of one group, B and C of one block, C neither A nor B. Each device has its columns
/// of C; of A it takes all, rows × columns elements of device memory beside its columns where there are several
/// devices: what others have comes through their memory where it reaches that, of which A keeps three blocks of columns
/// on each of them, otherwise through four blocks of pinned host memory at least, as many of each device.
/// Engines, accuracies, errors and bits are those of gemm on the first device's queue; a product whose entries do not
/// let parts tell what the whole decides goes through host memory, as large as the matrices, to that device, and so
/// does one that reads neither A nor B. options.device_bytes has all of this in it.
template <gemm_scalar T>
GroupReport gemm(std::type_identity_t<T> alpha, const GroupMatrix<T>& a, const GroupMatrix<T>& b,
                 std::type_identity_t<T> beta, GroupMatrix<T>& c, const GemmOptions& options = {});

/// P · A = L · U in A's place, A with as many rows as columns at least; `pivots` has one for each column. Returns info
/// (getrf of lapack.hpp). Several devices take memory each for L beside their columns, rows × columns elements,
/// or half of it where that is more than a quarter of theirs (or of options.device_bytes), and by A the memory through
/// which they tell each other, as for gemm. `report`: bytes that devices told each other, and the seconds.
template <gemm_scalar T>
std::int64_t getrf(GroupMatrix<T>& a, std::span<std::int64_t> pivots, const BlockedOptions& options = {},
                   StreamReport* report = nullptr);
/// A = L · Lᴴ of a Hermitian matrix that is given by its lower triangle; L in its place, above which entries are of no
/// particular value afterwards. Memory as of getrf. Of an upper triangle write() takes the conjugate transpose.
template <gemm_scalar T>
std::int64_t potrf(GroupMatrix<T>& a, const BlockedOptions& options = {}, StreamReport* report = nullptr);

/// X = op(A)⁻¹ · B in B's place, in host memory, with getrf's factors and pivots of A: by the first device, which takes
/// memory for all of A where there are several, or, where it has none, from host memory as in streaming.hpp. Any engine
/// and accuracy of getrs in lapack.hpp. `report`: also bytes of B.
template <gemm_scalar T>
void getrs(Op op, const GroupMatrix<T>& lu, std::span<const std::int64_t> pivots, const MatrixView<T>& b,
           const BlockedOptions& options = {}, StreamReport* report = nullptr);
/// getrf, and where info is 0 getrs; otherwise B is as it was.
template <gemm_scalar T>
std::int64_t gesv(GroupMatrix<T>& a, std::span<std::int64_t> pivots, const MatrixView<T>& b,
                  const BlockedOptions& options = {}, StreamReport* report = nullptr);
/// X = A⁻¹ · B in B's place, in host memory, with potrf's factor of A; as getrs.
template <gemm_scalar T>
void potrs(const GroupMatrix<T>& factor, const MatrixView<T>& b, const BlockedOptions& options = {},
           StreamReport* report = nullptr);
/// potrf, and where info is 0 potrs; otherwise B is as it was.
template <gemm_scalar T>
std::int64_t posv(GroupMatrix<T>& a, const MatrixView<T>& b, const BlockedOptions& options = {},
                  StreamReport* report = nullptr);

}  // namespace hilo
