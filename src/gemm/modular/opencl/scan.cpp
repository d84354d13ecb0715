#include "gemm/modular/opencl/scan.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "matrix/sizes.hpp"

namespace hilo::modular {
namespace {

using opencl::copied;
using opencl::narrow;
using opencl::set_arguments;
using opencl::Workspace;

// As kernels/modular/scan.cl has them.
constexpr std::int64_t tile_lines = 32, tile_terms = 64, scan_items = 256, uneven_lines = 8, lines_at_once = 64;
// Groups that keep a large device busy.
constexpr std::int64_t busy_groups = 2048;
// Of a line, that a group takes; and that it takes rather than that there is a launch before.
constexpr std::int64_t most_tiles = 8, few_tiles = 4;

// Of a line, that groups may have a place each for: what is read again for each of the line's squares.
constexpr std::int64_t most_parts = 32;

// As kernels/modular/sums.cl has them.
constexpr std::int64_t chunk_terms = 16;
// Items of a work-group that finds squares or magnitudes.
constexpr std::int64_t line_items = 64;
// Items that keep a large device busy, and the most chunks of one.
constexpr std::int64_t busy_items = std::int64_t{1} << 18, most_chunks = 8;
// What no tile of bytes exceeds.
constexpr std::int64_t most_tile_lines = 256, most_tile_depth = 64;

// Of kernels/modular/scan.cl: of A [line][term], of B [term][line].
std::int64_t code_pitch(std::int64_t count) { return round_up(count, 16); }
std::int64_t code_bytes_of(int operand, std::int64_t lines, std::int64_t terms) {
  return 2 * (operand == 0 ? lines : code_pitch(lines)) * code_pitch(terms);
}

// Of the norms of lines, and of the sums of squares that they are made of.
std::int64_t norm_words(std::int64_t lines) { return 3 * lines; }

cl::Program scan_program(opencl::ContextState& context, ElementKind kind) {
  std::string options = opencl::define("WORDS", kind.words) + opencl::define("PARTS", kind.parts);
  return context.programs.get(context, opencl::ProgramRecipe{"modular scan", "modular/scaling.cl", options});
}

cl::NDRange range(std::int64_t x, std::int64_t y, std::int64_t z) {
  return cl::NDRange(static_cast<std::size_t>(x), static_cast<std::size_t>(y), static_cast<std::size_t>(z));
}

}  // namespace

std::int64_t sample_step(std::int64_t rows) { return rows >= 2048 ? 16 : rows >= 256 ? 8 : 4; }

std::int64_t Scan::code_bytes(std::int64_t m, std::int64_t n, std::int64_t k) {
  return code_bytes_of(0, m, k) + code_bytes_of(1, n, k);
}

std::int64_t Scan::sum_test_bytes(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t rows = round_up(m, most_tile_lines), columns = round_up(n, most_tile_lines);
  return (rows + columns) * round_up(k, most_tile_depth);
}

std::int64_t Scan::line_bytes(std::int64_t lines) { return 4 * (norm_words(lines) + most_parts * lines); }

Scan::Scan(opencl::Call& call, ElementKind kind, const DeviceOperand (&operand)[2], const ScanRequest& request)
    : call_(call),
      kind_(kind),
      operand_(operand),
      request_(request),
      program_(scan_program(call.context(), kind)),
      m_(operand[0].lines),
      n_(operand[1].lines),
      k_(operand[0].terms),
      b_is_a_(has_same_magnitudes(operand[0], operand[1])),
      found_{{m_, n_}, k_, {}, {}, {}, {}, uneven_bits(k_)},
      figures_(call.borrow(figure_count * 4, "figures of a scan")) {
  found_.exponents = call.borrow((m_ + n_) * 4, "exponents of lines");
  for (int o = 0; o < 2; ++o) {
    if (request.finds_balance) of_terms_[o] = call.borrow(k_ * 4, "the largest elements of terms");
    if (!request.keeps_codes || operand[o].lines == 0) continue;
    codes_[o] = call.lend(code_bytes_of(o, operand[o].lines, k_), "magnitudes of elements");
    found_.codes[o] = copied(codes_[o].buffer());
  }
  if (request.tests_sums) norms_ = call.borrow(4 * norm_words(m_ + n_), "norms of lines");
  launch();
}

void Scan::initialise() {
  // Buffers that are not read stand in for those that are absent.
  const std::int64_t terms = request_.finds_balance ? k_ : 0, norms = request_.tests_sums ? norm_words(m_ + n_) : 0;
  const cl::Buffer& some = figures_;
  auto initialise = call_.kernel(program_, "initialise");
  set_arguments(initialise, figures_, found_.exponents, terms ? of_terms_[0] : some, terms ? of_terms_[1] : some,
                norms ? norms_ : some, opencl::initialise_arguments{narrow(m_ + n_), narrow(terms), narrow(norms)});
  call_.launch_over(*initialise, std::max<std::int64_t>({m_ + n_, terms, norms, figure_count}), true);
}

// Of a line's tiles, those of one work-group: all of them where that spares a launch before and enough groups are left.
std::int64_t Scan::tiles_at_once() const {
  const std::int64_t groups = blocks(std::max(m_, n_), tile_lines), tiles = blocks(k_, tile_terms);
  const std::int64_t most = std::clamp<std::int64_t>(tiles, 1, most_tiles);
  const bool are_few = tiles <= few_tiles || groups >= call_.context().info.compute_units;
  if (!request_.has_figures && tiles == most && are_few) return tiles;
  return std::clamp<std::int64_t>(groups * tiles / busy_groups, 1, most);
}

void Scan::launch() {
  const std::int64_t groups = blocks(std::max(m_, n_), tile_lines), tiles = blocks(k_, tile_terms),
                     at_once = tiles_at_once(), parts = blocks(tiles, at_once);
  is_first_ = request_.tests_sums && parts <= most_parts;
  if (is_first_) {
    parts_ = parts;
    exponents_of_parts_ = call_.borrow(parts * (m_ + n_) * 4, "exponents of parts of lines");
  } else {
    if (request_.has_figures || parts > 1) initialise();
    exponents_of_parts_ = copied(found_.exponents);
  }
  // Buffers that are not read stand in for those that are absent.
  const cl::Buffer& norms = request_.tests_sums ? norms_ : figures_;
  auto scan = call_.kernel(program_, "scan");
  const opencl::scan_arguments arguments{.a = operand_[0].view,
                                         .b = operand_[1].view,
                                         .keeps_codes = request_.keeps_codes,
                                         .b_is_a = b_is_a_,
                                         .is_first = is_first_,
                                         .lines_of_a = narrow(m_),
                                         .lines_of_b = narrow(n_),
                                         .terms = narrow(k_),
                                         .tiles = narrow(at_once)};
  set_arguments(scan, operand_[0].buffer, codes_or_others(0), n_ > 0 ? operand_[1].buffer : operand_[0].buffer,
                codes_or_others(1), exponents_of_parts_, norms, figures_, arguments);
  call_.launch(*scan, range(groups * scan_items, parts, scanned_operands()), range(scan_items, 1, 1), true);
}

void Scan::finish(bool of_lines) {
  const std::int64_t terms = request_.finds_balance ? k_ : 0, m = of_lines ? m_ : 0, n = of_lines ? n_ : 0;
  if (terms) {
    balance_ = call_.borrow(k_ * 4, "the balance of terms");
    if (is_first_) {
      for (const cl::Buffer& largest : of_terms_) {
        call_.fill(largest, cl_int{line_of_zeros}, static_cast<std::size_t>(4 * k_));
      }
    }
    auto largest = call_.kernel(program_, "largest_of_terms");
    set_arguments(
        largest, found_.codes[0], of_terms_[0], found_.codes[1], of_terms_[1], found_.exponents, figures_,
        opencl::term_arguments{narrow(m_), narrow(n_), narrow(k_), narrow(request_.limit), narrow(sample_step(m_))});
    const std::int64_t groups = blocks(k_, lines_at_once) * blocks(m_, lines_at_once) + k_;
    call_.launch(*largest, range(groups * lines_at_once, 1, 1), range(lines_at_once, 1, 1));
  }
  const cl::Buffer& some = figures_;
  auto finish = call_.kernel(program_, "finish_scan");
  set_arguments(
      finish, found_.exponents, terms ? of_terms_[0] : some, terms ? of_terms_[1] : some, terms ? balance_ : some,
      figures_,
      opencl::term_arguments{narrow(m), narrow(n), narrow(terms), narrow(request_.limit), narrow(sample_step(m_))});
  if (std::max({m, n, terms}) > 0) call_.launch_over(*finish, std::max({m, n, terms}));
}

MagnitudeSizes::MagnitudeSizes(const ByteTile& of, std::int64_t lines_of_a, std::int64_t lines_of_b, std::int64_t terms)
    : tile(of),
      rows(round_up(lines_of_a, tile.rows)),
      columns(round_up(lines_of_b, tile.columns)),
      depth(round_up(terms, tile.depth)) {}

void Scan::test_sums(ByteUnit unit, const cl::Buffer& scaled) {
  const MagnitudeSizes sizes(byte_tile(unit, m_, n_), m_, n_, k_);
  magnitudes_ = call_.lend(sizes.bytes(), "magnitudes of operands");
  const cl::Buffer& bytes = magnitudes_.buffer();
  find_magnitudes(sizes, bytes, scaled);
  multiply_magnitudes(call_, unit, sizes, {bytes, bytes, sizes.rows * sizes.depth, norms_, norms_, m_, m_, n_},
                      b_is_a_ && request_.is_triangle, figures_);
}

void Scan::find_magnitudes(const MagnitudeSizes& sizes, const cl::Buffer& bytes, const cl::Buffer& scaled) {
  const std::int64_t chunks = sizes.depth / chunk_terms;
  // Few for each item where there are few lines.
  const std::int64_t at_once = std::clamp<std::int64_t>((m_ + n_) * chunks / busy_items, 1, most_chunks);
  auto over_lines = [&](const cl::Kernel& launched, std::int64_t lines, std::int64_t terms) {
    const std::int64_t groups = blocks(terms, chunk_terms * at_once);
    call_.launch(launched, range(round_up(lines, line_items), groups, scanned_operands()), range(line_items, 1, 1),
                 true);
  };

  auto add = call_.kernel(program_, "sum_squares");
  set_arguments(add, found_.codes[0], codes_or_others(1), exponents_of_parts_, found_.exponents, norms_, figures_,
                opencl::square_arguments{narrow(m_), narrow(n_), narrow(k_), narrow(at_once), b_is_a_, narrow(parts_)});
  over_lines(*add, std::max(m_, n_), k_);

  auto make = call_.kernel(program_, "magnitudes");
  const opencl::magnitude_arguments arguments{.lines_of_a = narrow(m_),
                                              .tile_of_a = sizes.tile.rows,
                                              .padded_a = narrow(sizes.rows),
                                              .lines_of_b = narrow(n_),
                                              .tile_of_b = sizes.tile.columns,
                                              .padded_b = narrow(sizes.columns),
                                              .terms = narrow(k_),
                                              .chunks = narrow(chunks),
                                              .chunks_at_once = narrow(at_once),
                                              .longest_norm = longest_norm(k_),
                                              .b_is_a = b_is_a_,
                                              .in_quads = sizes.tile.in_quads};
  set_arguments(make, found_.codes[0], codes_or_others(1), found_.exponents, bytes, scaled, norms_, figures_,
                arguments);
  over_lines(*make, std::max(sizes.rows, sizes.columns), sizes.depth);
}

void Scan::multiply_magnitudes(opencl::Call& call, ByteUnit unit, const MagnitudeSizes& sizes, const MagnitudePair& x,
                               bool is_symmetric, const cl::Buffer& figures) {
  const ByteTile& tile = sizes.tile;
  ByteProduct product{};
  product.a = copied(x.a);
  product.b = copied(x.b);
  product.planes = 1;
  product.row_panels = narrow(sizes.rows / tile.rows);
  product.column_panels = narrow(sizes.columns / tile.columns);
  product.depth = sizes.depth;
  product.first_of_b = x.first_of_b;
  product.test = {x.norms_of_a, x.norms_of_b, narrow(x.first_norm_of_b), narrow(x.lines_of_a), narrow(x.lines_of_b),
                  figures,      figure_asked};
  const auto multiply = byte_multiplier(call.context(), unit, tile, ByteResult::sum_test,
                                        is_symmetric ? BytePart::triangle : BytePart::whole)
                            .launch(product);
  call.launch(*multiply.kernel, multiply.global, multiply.local, true);
}

void Scan::join_lines(opencl::Call& call, ElementKind kind, const LineWords& first, const LineWords& second,
                      const cl::Buffer& both) {
  auto join = call.kernel(scan_program(call.context(), kind), "join_lines");
  set_arguments(join, first.words, second.words, both, narrow(first.lines), narrow(second.lines));
  call.launch_over(*join, first.lines + second.lines, true);
}

void Scan::find_uneven(ScannedOperands& found) {
  const auto least = static_cast<cl_long>(std::ceil(std::ldexp(even_sum(k_), sum_unit)));
  const bool is_balanced = found.balance() != nullptr;
  for (int o = 0; o < 2; ++o) {
    if (!found.uneven[o]()) found.uneven[o] = call_.borrow(operand_[o].lines * 4, "flags of lines");
  }
  const cl::Buffer& balance = is_balanced ? found.balance : figures_;
  const cl::NDRange all = range(blocks(std::max(m_, n_), uneven_lines) * scan_items, 1, 2);
  // A launch of its own pays where elements are many.
  const bool has_guess = k_ * (m_ + n_) > std::int64_t{1} << 24;
  auto guess = call_.kernel(program_, "guess_uneven"), find = call_.kernel(program_, "find_uneven");
  const opencl::uneven_arguments arguments{.a = operand_[0].view,
                                           .b = operand_[1].view,
                                           .least = least,
                                           .has_guess = has_guess,
                                           .lines_of_a = narrow(m_),
                                           .lines_of_b = narrow(n_),
                                           .terms = narrow(k_),
                                           .is_balanced = is_balanced};
  set_arguments(guess, found.codes[0], found.uneven[0], found.codes[1], found.uneven[1], found.exponents, balance,
                arguments);
  if (has_guess) call_.launch(*guess, all, range(scan_items, 1, 1));
  set_arguments(find, operand_[0].buffer, found.uneven[0], operand_[1].buffer, found.uneven[1], found.exponents,
                balance, arguments);
  call_.launch(*find, all, range(scan_items, 1, 1));
}

cl::Buffer Scan::balance_lines() {
  cl::Buffer balanced = call_.borrow((m_ + n_) * 4, "balanced exponents of lines");
  for (int o = 0; o < 2; ++o) {
    auto find = call_.kernel(program_, "balance_lines");
    set_arguments(find, found_.codes[o], found_.exponents, balance_, balanced, figures_,
                  opencl::balance_arguments{.line_pitch = o == 0 ? code_pitch(k_) : 1,
                                            .term_pitch = o == 0 ? 1 : code_pitch(n_),
                                            .first_exponent = first_exponent(o),
                                            .lines = narrow(operand_[o].lines),
                                            .terms = narrow(k_),
                                            .sign = o == 0 ? 1 : -1});
    call_.launch_over(*find, operand_[o].lines);
  }
  return balanced;
}

void Scan::count_bits() {
  auto count = call_.kernel(program_, "count_bits");
  for (int o = 0; o < 2; ++o) {
    const opencl::matrix_view& v = operand_[o].view;
    set_arguments(count, operand_[o].buffer, found_.exponents, figures_,
                  opencl::bit_arguments{v, first_exponent(o), narrow(operand_[o].lines), narrow(k_), o});
    const bool along_lines = v.row_stride < v.column_stride;
    const std::int64_t along = along_lines ? operand_[o].lines : k_, across = along_lines ? k_ : operand_[o].lines;
    const std::int64_t items = round_up(std::min<std::int64_t>(along, along_lines ? along : 256), 16);
    call_.launch_over(*count, items, along_lines ? std::min<std::int64_t>(across, 64) : across);
  }
}

// Of A alone where B has no lines, or A's serve both.
int Scan::scanned_operands() const { return b_is_a_ || n_ == 0 ? 1 : 2; }

// Other memory, which is not read, stands in for codes that are absent.
const cl::Buffer& Scan::codes_or_others(int operand) const {
  return found_.codes[operand]() ? found_.codes[operand] : found_.exponents;
}

int Scan::first_exponent(int operand) const { return operand == 0 ? 0 : narrow(m_); }

void Scan::release_magnitudes() { call_.give_back(magnitudes_); }

void Scan::release() {
  release_magnitudes();
  for (Workspace& w : codes_) call_.give_back(w);
}

void Scan::begin_read() {
  opencl::ContextState& context = call_.context();
  pinned_ = context.pinned.borrow(context.context, context.device);
  call_.begin_read(figures_, sizeof figure_, pinned_);
}

void Scan::wait() {
  pinned_.wait();
  std::memcpy(figure_.data(), pinned_.data(), sizeof figure_);
}

void Scan::read() { call_.read(figures_, sizeof figure_, figure_.data()); }

SumTestFigures Scan::sum_test_figures() const {
  return {figure_[figure_asked],
          {figure_[figure_norm], figure_[figure_norm + 1]},
          {figure_[figure_shift], figure_[figure_shift + 1]}};
}

}  // namespace hilo::modular
