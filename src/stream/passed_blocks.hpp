// Memory by which parts of a group's matrix go from the device that has them to the others, a few at a time: of the
// devices where they reach each other's, otherwise of the host.
#pragma once

#include <hilo/device_group.hpp>
#include <optional>
#include <vector>

#include "matrix/sizes.hpp"
#include "opencl/peer_memory.hpp"
#include "stream/dealt_columns.hpp"
#include "stream/host_matrix.hpp"

namespace hilo::stream {

/// A block of a matrix where all devices of a group come by it, columns contiguous unless it is a caller's.
struct PassedBlock {
  HostMatrix host;                     ///< without data where it is in a device's memory
  cl::Buffer memory = {};              ///< that memory, as one device has it, from its beginning on; null: the host's
  std::int64_t column = 0, pitch = 0;  ///< of its first column there; elements from one to the next

  PassedBlock columns(std::int64_t first, std::int64_t count) const;
};

class PassedBlocks {
 public:
  /// Pieces of rows that have a place at a time: while one is read, its device has the next ones to bring.
  static constexpr int pieces = 4;
  /// Blocks of columns of each device that have a place in its memory at a time: of one others still read the long
  /// parts while the first ones of the next but one are on their way.
  static constexpr int places = 3;
  /// A block of columns travels in so many parts of its rows: while one goes to the devices, the next comes to where
  /// they find it. Some are short: its own rows and about those of the next block, as all wait for these; those of the
  /// block after it; and what follows up to a row where this part of most blocks ends, as the others do: rows of a
  /// block wait for those of the block before.
  static constexpr int parts = 7, short_parts = 3;
  struct Rows {
    std::int64_t first, count;
  };
  /// Rows of the matrix, which has so many, that are a part of a block; 0 of parts that it does not have.
  static Rows part_rows(int part, const DealtColumns::Block& block, std::int64_t rows);
  /// Rows of all columns that are a piece, of which no device has more elements than a part of the widest block, nor
  /// all more than that block; one at least.
  static std::int64_t piece_rows(const HostMatrix& shape, const DealtColumns& deal);

  /// Of a matrix that is dealt to several devices, whose shape and deal live as long. Throws out_of_memory.
  PassedBlocks(const DeviceGroup& devices, const HostMatrix& shape, const DealtColumns& deal);

  bool is_on_devices() const { return !memories_.empty(); }
  /// Of a device's memory; 0 where it is the host's.
  std::int64_t bytes_on(int device) const;

  /// Blocks of columns that have a place at a time: the same device's as an earlier one. So none waits for its own
  /// device to take another's, nor two for each other's, as who factors a block has all before its last one.
  int blocks() const { return is_on_devices() ? places * devices() : static_cast<int>(round_up(pieces, devices())); }
  /// As a device comes by it: a part of a block's rows, in the place of the blocks()-th before it.
  PassedBlock part(int block, int number, int device) const;
  /// The columns that `owner` has of so many rows, in the place of the `pieces`-th piece before.
  PassedBlock piece(int number, std::int64_t rows, int owner, int device) const;

 private:
  int devices() const { return static_cast<int>(deal_.devices()); }
  PassedBlock on_device(const opencl::PeerMemory& memory, int device, std::int64_t rows, std::int64_t columns,
                        std::int64_t pitch) const;
  // From an element of the place on.
  PassedBlock on_host(int place, std::int64_t first, std::int64_t rows, std::int64_t columns, std::int64_t pitch) const;

  const HostMatrix& shape_;
  const DealtColumns& deal_;
  std::vector<std::vector<opencl::PeerMemory>> memories_;  // of each device the parts of its places, or pieces
  std::optional<detail::HostMemory> host_;
};

}  // namespace hilo::stream
