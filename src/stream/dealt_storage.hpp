// A matrix on a device whose columns come and go while others are computed with.
#pragma once

#include "opencl/workspace.hpp"
#include "stream/carrier.hpp"
#include "stream/host_matrix.hpp"
#include "stream/passed_blocks.hpp"

namespace hilo::stream {

/// Lies as the host's matrix does, by columns or by rows.
class DealtStorage {
 public:
  /// Blocks of a block's columns side by side, which are so many columns apart elsewhere.
  struct Runs {
    std::int64_t count, apart;
  };

  /// Throws out_of_memory.
  DealtStorage(Lanes& lanes, const HostMatrix& like, std::int64_t rows, std::int64_t columns);
  /// Somebody else's memory.
  DealtStorage(Lanes& lanes, const DeviceView& matrix, std::int64_t element_bytes)
      : lanes_(lanes), matrix_(matrix), element_bytes_(element_bytes) {}
  DealtStorage(const DealtStorage&) = delete;
  DealtStorage& operator=(const DealtStorage&) = delete;
  ~DealtStorage();

  /// What it takes, in elements, and how it lies in a buffer of so many.
  static std::int64_t elements(const HostMatrix& like, std::int64_t rows, std::int64_t columns);
  static DeviceView lay(const cl::Buffer& buffer, const HostMatrix& like, std::int64_t rows, std::int64_t columns);

  const DeviceView& matrix() const { return matrix_; }

  /// A block from or to pinned memory, from (row, column) on; after `ready`, where that is not null.
  cl::Event send(const HostMatrix& from, std::int64_t row, std::int64_t column, const cl::Event& ready = {});
  /// From other columns of the same rows of a matrix that lies alike, to column `column`; in runs here.
  cl::Event copy(const DealtStorage& from, std::int64_t row, std::int64_t from_column, std::int64_t rows,
                 std::int64_t columns, std::int64_t column, const Runs& runs);
  cl::Event fetch(std::int64_t row, std::int64_t column, const HostMatrix& to, const cl::Event& ready);
  /// The same of a block on its way between devices; in runs here.
  cl::Event send(const PassedBlock& from, std::int64_t row, std::int64_t column, const cl::Event& ready = {},
                 const Runs& runs = {1, 0});
  cl::Event fetch(std::int64_t row, std::int64_t column, const PassedBlock& to, const cl::Event& ready);

 private:
  struct Window;
  Window window(const HostMatrix& block, std::int64_t row, std::int64_t column) const;
  Window window(const PassedBlock& block) const;
  // Where the runs of a block that is `there` are here: slices of both, of a single row lines.
  void cut(Window& there, Window& here, const Runs& runs) const;
  cl::Event copy(const cl::Buffer& from, Window there, Window here, const cl::Event& ready, const Runs& runs);

  Lanes& lanes_;
  opencl::Workspace memory_;
  DeviceView matrix_;
  std::int64_t element_bytes_;
};

}  // namespace hilo::stream
