#include "stream/gathering.hpp"

#include <algorithm>
#include <optional>

#include "matrix/sizes.hpp"
#include "stream/dealt_storage.hpp"
#include "stream/team.hpp"

namespace hilo::stream {
namespace {

// Rows that a device brings to where others find them before it takes others', in pieces.
constexpr int pieces_ahead = 2;
static_assert(pieces_ahead < PassedBlocks::pieces - 1);
// Bytes a second of a matrix on its way through the host to several devices at a time, to each.
constexpr double host_rate = 25e9;

}  // namespace

// What a product waits for.
class Gathering::Rows : public DeviceColumns {
 public:
  Rows(Gathering& all, int number, const DeviceView& matrix)
      : DeviceColumns(matrix, all.state_.shape.element_bytes), all_(all), number_(number) {}

  void wait_for(const HostMatrix& block) override {
    const auto last = static_cast<int>((block.row + block.rows - 1) / all_.piece_rows_);
    // Those before come before it, by the same queue.
    all_.arrived_.wait_for_part(last * all_.state_.devices.size() + number_, 0);
  }
  double bytes_per_second() const override { return all_.state_.passed()->is_on_devices() ? 0.0 : host_rate; }

 private:
  Gathering& all_;
  const int number_;
};

// A device that brings its columns, and may want all.
class Gathering::Member {
 public:
  Member(Gathering& all, int number, bool wants_all, bool is_wanted)
      : all_(all),
        number_(number),
        is_wanted_(is_wanted && all.state_.deal.columns_of(number) > 0),
        lanes_(all.state_.devices.queue(number).context().state()),
        own_(lanes_, all.state_.own[static_cast<std::size_t>(number)], shape().element_bytes) {
    if (!wants_all) return;
    matrix_.emplace(lanes_, shape(), shape().rows, shape().columns);
    columns_.emplace(all, number, matrix_->matrix());
  }
  ~Member() { settle(lanes_); }

  void run() {
    int brought = 0;
    for (int piece = 0; piece < all_.pieces_; ++piece) {
      for (; brought < std::min(piece + pieces_ahead + 1, all_.pieces_); ++brought) bring(brought);
      take(piece);
    }
    for (const std::vector<cl::Event>* events : {&brought_, &taken_}) {
      for (const cl::Event& e : *events) e.wait();
    }
  }

  const DeviceInfo& device() const { return lanes_.compute.context->info; }
  const DeviceView& matrix() const { return matrix_->matrix(); }
  HostMatrix operand() { return columns_->all(); }

  Traffic traffic() const {
    const std::int64_t its = deal().columns_of(number_), column = shape().rows * shape().element_bytes;
    Traffic all{matrix_ ? (shape().columns - its) * column : 0, is_wanted_ ? its * column : 0};
    for (const cl::Event& e : brought_) all.seconds_out += seconds_of(e);
    for (const cl::Event& e : taken_) all.seconds_in += seconds_of(e);
    return all;
  }

 private:
  const HostMatrix& shape() const { return all_.state_.shape; }
  const DealtColumns& deal() const { return all_.state_.deal; }
  int devices() const { return static_cast<int>(deal().devices()); }
  int entry(int piece, int device) const { return piece * devices() + device; }
  std::int64_t first_row(int piece) const { return piece * all_.piece_rows_; }
  std::int64_t rows(int piece) const { return std::min(all_.piece_rows_, shape().rows - first_row(piece)); }
  // A device's columns of a piece, side by side, where they are on their way: a place that no other device's pieces
  // have.
  PassedBlock place(int piece, int device) const {
    return all_.state_.passed()->piece(piece, rows(piece), device, number_);
  }

  void bring(int piece) {
    const int entry = this->entry(piece, number_);
    if (!is_wanted_) return;
    if (piece >= PassedBlocks::pieces)
      all_.passed_.wait_until_taken(this->entry(piece - PassedBlocks::pieces, number_));
    brought_.push_back(own_.fetch(first_row(piece), 0, place(piece, number_), {}));
    all_.passed_.tell_part(entry, brought_.back());
  }

  void take(int piece) {
    // Each from another device at a time.
    for (int i = 0; i < devices(); ++i) {
      const int device = (number_ + i) % devices();
      if (deal().columns_of(device) == 0) continue;
      const int entry = this->entry(piece, device);
      if (!matrix_) {
        if (device != number_) all_.passed_.tell_taken(entry, {});
        continue;
      }
      if (device != number_) all_.passed_.wait_for_part(entry, 0);
      const PassedBlock its = place(piece, device);
      for (const DealtColumns::Run& run : deal().runs(device)) {
        const std::int64_t row = first_row(piece), columns = run.count * run.columns;
        const DealtStorage::Runs runs{run.count, run.apart};
        taken_.push_back(device == number_ ? matrix_->copy(own_, row, run.at, rows(piece), columns, run.first, runs)
                                           : matrix_->send(its.columns(run.at, columns), row, run.first, {}, runs));
      }
      if (device != number_) all_.passed_.tell_taken(entry, taken_.back());
    }
    if (matrix_) all_.arrived_.tell_part(entry(piece, number_), taken_.back());
  }

  Gathering& all_;
  const int number_;
  const bool is_wanted_;  // by others
  Lanes lanes_;
  DealtStorage own_;
  std::optional<DealtStorage> matrix_;
  std::optional<Rows> columns_;
  std::vector<cl::Event> brought_, taken_;
};

Gathering::Gathering(GroupMatrixState& matrix, const std::vector<bool>& wants_all)
    : state_(matrix),
      piece_rows_(PassedBlocks::piece_rows(matrix.shape, matrix.deal)),
      pieces_(static_cast<int>(blocks(matrix.shape.rows, piece_rows_))),
      passed_(matrix.devices.size()),
      arrived_(matrix.devices.size()) {
  state_.passed();
  const auto all = std::ranges::count(wants_all, true);
  for (int i = 0; i < state_.devices.size(); ++i) {
    const bool wants = wants_all[static_cast<std::size_t>(i)];
    members_.push_back(std::make_unique<Member>(*this, i, wants, all > (wants ? 1 : 0)));
  }
}

Gathering::~Gathering() {
  if (!running_.valid()) return;
  // Who computes with it has failed.
  passed_.stop();
  arrived_.stop();
  running_.wait();
}

std::int64_t Gathering::bytes(const GroupMatrixState& matrix) {
  return DealtStorage::elements(matrix.shape, matrix.shape.rows, matrix.shape.columns) * matrix.shape.element_bytes;
}

void Gathering::begin() {
  running_ = std::async(std::launch::async, [this] {
    Team<Member> team(members_, "passing columns to other devices", [this] {
      passed_.stop();
      arrived_.stop();
    });
    team.run([](Member& member) { member.run(); });
  });
}

void Gathering::finish() {
  if (running_.valid()) running_.get();
}

const DeviceView& Gathering::matrix(int device) const { return member(device).matrix(); }
HostMatrix Gathering::operand(int device) { return member(device).operand(); }
Traffic Gathering::traffic(int device) const { return member(device).traffic(); }

}  // namespace hilo::stream
