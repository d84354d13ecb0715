// Matrix products: C = alpha · op(A) · op(B) + beta · C in six precisions.
#pragma once

#include <cstdint>
#include <hilo/device.hpp>
#include <hilo/error.hpp>
#include <hilo/matrix.hpp>
#include <hilo/precision.hpp>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace hilo {

/// A way to compute a product.
enum class Engine : std::uint8_t {
  automatic,    ///< the one expected to be faster here, by a table of rates for kinds of CPU that `hilo tune` refines:
                ///< on one machine with one tuning file the same in every run, but maybe another elsewhere
  direct,       ///< double-double arithmetic; for S, D, C and Z CBLAS, or a device's own arithmetic
  modular,      ///< exact integer products modulo small numbers (D, Z, DD and ZDD)
  reproducible  ///< direct or modular by the problem alone, with FMA: the same bits on every machine
};

/// How large an error may be, of DD and ZDD where nothing over- or underflows. What each guarantees in all precisions,
/// with its constants: docs/modular.md and docs/error-bounds.md. `classic` and `fast` are for both engines, and the
/// modular one leaves to the direct one what it cannot compute within the bound. The others take the modular one for
/// all finite entries: a sum of finite products is ±Inf where rounding it overflows, and only there.
enum class Accuracy : std::uint8_t {
  classic,   ///< (8k + 16)u²(|alpha||A||B| + |beta||C|), entry by entry; what the direct engine computes of ZDD below
             ///< k = 51 (10k + 38)u², without fused multiply-adds (12k + 34)u²
  fast,      ///< a looser bound that costs less
  tight,     ///< (k + 16)u², entry by entry; refused where the exponents of A and B spread too widely
  normwise,  ///< (8k + 16)u² of the 2-norms of A's row and B's column in place of |A||B|, for k up to 2^40
  exact,     ///< the exact product rounded once; for alpha = ±2^s and beta = 0
  bits       ///< the bits of GemmOptions::bits, whatever bound they give
};

/// Which engine computed a product, and why it was not the one asked for.
enum class Path : std::uint8_t {
  direct,               ///< asked for, or chosen before the entries were looked at
  modular,              ///< all entries, apart from those that the report counts
  modular_balanced,     ///< the same on A·D and D⁻¹·B, D a diagonal of powers of two
  direct_for_operands,  ///< too many entries are of rows or columns with Inf or NaN, or may overflow
  direct_for_range,     ///< the exponents in A and B spread more widely than the moduli can hold
  direct_for_speed      ///< they spread so widely that the direct engine is expected to be faster
};

/// What multiplies bytes in the modular engine on the CPU; the bits are the same. `amx` is hilo's own kernel.
enum class Int8Library : std::uint8_t { automatic, onednn, plain, amx };

/// How the direct engine multiplies complex numbers in C and Z on a device. `three` real products (3M) take three
/// quarters of the time of `four`; the guaranteed error of an entry grows from 3(k + 4) to 4(k + 4) units, and its
/// imaginary part, where it is much smaller than the entry, has an error of the entry's size.
enum class ComplexProduct : std::uint8_t { four, three };

/// What an error bound is relative to: |alpha||A||B| + |beta||C|, or the same with ‖row of A‖₂‖column of B‖₂ for
/// |A||B|.
enum class Measure : std::uint8_t { componentwise, normwise };

/// Where a product runs.
enum class Backend : std::uint8_t { cpu, opencl };

/// Whether the direct engine's step uses fused multiply-adds. The two sequences give different bits, each the
/// same everywhere; `automatic` is `on` where the CPU or device has the instruction. `on` without it is slow.
enum class Fma : std::uint8_t { automatic, on, off };

/// What a caller may ask of a product. Engine, accuracy (with its bits) and fma fix the bits of DD and ZDD, and of D
/// and Z by the modular engine; the rest does not.
struct GemmOptions {
  Engine engine = Engine::automatic;
  Accuracy accuracy = Accuracy::classic;
  Fma fma = Fma::automatic;
  int threads = 0;               ///< CPU threads; 0 is OpenMP's default; fewer where no more can be started
  std::string_view target = {};  ///< SIMD instruction set by Highway's name ("AVX2"); empty is the best present
  /// Direct engine on the CPU: rows and columns of C that a task computes; 4096 where it is more; 0 lets the plan
  /// choose.
  std::int64_t tile_rows = 0, tile_columns = 0;
  int bits = 0;                      ///< with Accuracy::bits: bits of a scaled entry of A or B, 1 to 165
  std::int64_t workspace_bytes = 0;  ///< modular engine: take at most so many; 0 lets the plan choose
  std::int64_t depth = 0;            ///< modular engine: terms of k multiplied at a time, at most 65536; 0 as above
  int levels = -1;  ///< modular engine: levels of Strassen's algorithm, 0 to 2, where they fit; −1 lets the plan choose
  Int8Library int8_library = Int8Library::automatic;
  ComplexProduct complex_product = ComplexProduct::four;
  /// Of routines on top of products (blas.hpp, lapack.hpp), which a product itself has none of: rows of a block that is
  /// computed without products, at most 1024; 0 is 64. Fixes their bits.
  std::int64_t block = 0;
  /// Of matrices in host memory: at most so many bytes of the device's memory; 0: what it has. A product that takes
  /// more goes through the device in panels of C, each with all terms: the same bits.
  std::int64_t device_bytes = 0;
};

/// How a product will run, or ran. A plain value: plan_gemm computes it without touching a matrix.
struct GemmPlan {
  Precision precision;
  Layout layout;
  Op opa, opb;
  std::int64_t m, n, k, batch;
  Engine engine;  ///< never `automatic`
  Accuracy accuracy;
  Backend backend;
  bool fma;                                ///< which of the two sequences of the direct step (DD, ZDD)
  char unit[64];                           ///< SIMD instruction set, BLAS library or device name
  int threads;                             ///< 0 on a device
  std::int64_t micro_rows, micro_columns;  ///< register tile
  std::int64_t tile_rows, tile_columns;    ///< part of C that one task or work-group computes
  std::int64_t depth;                      ///< terms of k packed at a time
  std::int64_t workspace_bytes;
  /// Guaranteed |C − Ĉ| <= error_bound_u2 · u²(|alpha||A||B| + |beta||C|), plus the underflow term of
  /// docs/error-bounds.md, component by component; for D and Z the unit is 2^-53, for S and C 2^-24. Of a plan for
  /// entries of about one magnitude; the report has what holds for those that were multiplied. For k <= 2^40, where
  /// nothing overflows, and of canonical elements, which only the modular engine does not ask for of A and B. In S, D,
  /// C and Z by CBLAS it takes a library that sums conventionally: docs/error-bounds.md, 2.8.
  double error_bound_u2;
  Measure measure;  ///< what error_bound_u2 is relative to
  Path path;
  int bits;    ///< of a scaled entry (modular; the larger of A's and B's where `exact` has two)
  int moduli;  ///< modular
  /// Of Strassen's algorithm, which changes no bits (modular). Of a product in panels: in their products, on the first
  /// device.
  int levels;
  /// Exponent spread covered, in bits: how far the largest product of a sum may lie below the largest entries of its
  /// row and column taken together (modular).
  int esc;
  /// What `automatic` expected on one core, or on the device, in seconds; 0 where it did not have to ask; infinite
  /// where there is no such product.
  double seconds_direct, seconds_modular;
  ComplexProduct complex_product;  ///< direct engine, C and Z on a device
};

/// How matrices in host memory went through a device in panels, each on its way while others were multiplied. Seconds
/// of the kernels and of both ways are sums over commands, which overlap: `seconds` has passed. No order of panels
/// takes less than model::seconds_streamed() of the three.
struct StreamReport {
  std::int64_t panel_rows = 0, panel_columns = 0;  ///< of C; 0 where the matrices went there whole
  int row_panels = 0, column_panels = 0;
  int passes = 0;  ///< over A and B: a first look, and one or two more
  /// From the host and to it; of a group's matrices, from the other devices and to them.
  std::int64_t bytes_in = 0, bytes_out = 0;
  /// And of the host's matrices, from other devices of the group that have brought them.
  std::int64_t bytes_passed = 0;
  double seconds = 0.0, seconds_kernel = 0.0, seconds_in = 0.0, seconds_out = 0.0;
  double seconds_expected = 0.0;  ///< of a pass over all panels, by the model that chose them

  /// The share of the transfers' time in which kernels ran or the other way was busy, 0 to 1.
  double overlap() const;
};

/// What ran: the plan, and what the data made of it.
struct GemmReport {
  GemmPlan plan;
  /// Entries that were not finite and were computed again as the plain double sum of hi parts (DD, ZDD).
  std::int64_t entries_recomputed = 0;
  /// Entries of a modular product that the direct engine computed, as the modular one could not within the bound; in
  /// accuracies that only the modular engine has, those of rows and columns with Inf or NaN alone.
  std::int64_t entries_direct = 0;
  StreamReport stream = {};
};

/// A product on its way, with the report of what was enqueued: entries_recomputed is −1 where that is not known before
/// the event is complete.
struct GemmEvent : Event {
  GemmReport report;
};

std::string_view name(Engine);
std::string_view name(Accuracy);
std::string_view name(Path);
std::string_view name(Int8Library);
std::string_view name(ComplexProduct);
std::string_view name(Measure);
std::string_view name(Backend);
std::string_view name(Op);
std::string_view name(Layout);
std::string to_string(const GemmPlan&);
std::ostream& operator<<(std::ostream&, const GemmPlan&);
/// Two lines; nothing of a product whose matrices went whole.
std::ostream& operator<<(std::ostream&, const StreamReport&);
/// The plan, and a line for the entries that were recomputed or taken by the direct engine, where there are any.
std::ostream& operator<<(std::ostream&, const GemmReport&);

/// The guaranteed bound of the direct engine in u²(|alpha||A||B| + |beta||C|) for k terms; docs/error-bounds.md.
double direct_error_bound_u2(std::int64_t k, Accuracy accuracy, bool is_complex, bool fma);

/// How gemm would run on the CPU, without running it. Throws as gemm does for sizes and options.
template <gemm_scalar T>
GemmPlan plan_gemm(Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
                   const GemmOptions& options = {}, std::int64_t batch = 1);

/// How gemm would run on a queue's device, without running it: the workspace is device memory, the tile what a
/// work-group computes (modular: the panel of C), the micro tile what a work-item does. Throws as gemm does for sizes
/// and options.
template <gemm_scalar T>
GemmPlan plan_gemm(const Queue& queue, Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
                   const GemmOptions& options = {}, std::int64_t batch = 1);

/// C = alpha · op(A) · op(B) + beta · C on the CPU; op(A) is m × k, op(B) k × n, C m × n, BLAS leading dimensions.
///
/// beta = 0 never reads C; alpha = 0 or k = 0 never reads A or B; NaN and Inf propagate. Bits and error of DD and
/// ZDD: docs/error-bounds.md, docs/modular.md; for canonical elements (hi the double nearest to hi + lo), as all of
/// hilo's operations make them and `dd_real(hi, lo)` of any other words does not. The caller's rounding mode and flush
/// to zero change nothing, and are back on return. The child of a fork() may multiply, with threads of its own. Throws
/// hilo::error before C is touched if an argument cannot be right (negative size, short leading dimension, null pointer
/// with a nonzero size, C sharing elements with A or B or, with lines of another distance, lying between theirs,
/// overflowing sizes).
template <gemm_scalar T>
GemmReport gemm(Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
                std::type_identity_t<T> alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
                std::type_identity_t<T> beta, T* c, std::int64_t ldc, const GemmOptions& options = {});

/// The same product of views: C = alpha · A · B + beta · C, where A may be `view(…)`, a block of it (`sub`), its
/// transpose or its conjugate (`turned`). Of each matrix rows or columns must be contiguous; C is not conjugated.
template <gemm_scalar T>
GemmReport gemm(std::type_identity_t<T> alpha, const std::type_identity_t<MatrixView<const T>>& a,
                const std::type_identity_t<MatrixView<const T>>& b, std::type_identity_t<T> beta,
                const MatrixView<T>& c, const GemmOptions& options = {});

/// The same on a queue's device, host to host.
template <gemm_scalar T>
GemmReport gemm(Queue& queue, std::type_identity_t<T> alpha, const std::type_identity_t<MatrixView<const T>>& a,
                const std::type_identity_t<MatrixView<const T>>& b, std::type_identity_t<T> beta,
                const MatrixView<T>& c, const GemmOptions& options = {});

/// The same product on a queue's device, host to host: transfers included, and finished on return. Where the device
/// fails while C comes back, C is undefined, and the error's message says so; at every other error it is as it was.
template <gemm_scalar T>
GemmReport gemm(Queue& queue, Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
                std::type_identity_t<T> alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
                std::type_identity_t<T> beta, T* c, std::int64_t ldc, const GemmOptions& options = {});

/// `batch` products, matrix i of A at a + i · stride_a and so on; strides in elements. A stride of 0 shares A or B.
/// Where one is refused for its entries (`tight`, `exact`), or memory ends, those before it are done.
template <gemm_scalar T>
GemmReport gemm_strided_batch(Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
                              std::type_identity_t<T> alpha, const T* a, std::int64_t lda, std::int64_t stride_a,
                              const T* b, std::int64_t ldb, std::int64_t stride_b, std::type_identity_t<T> beta, T* c,
                              std::int64_t ldc, std::int64_t stride_c, std::int64_t batch,
                              const GemmOptions& options = {});

/// `batch` products whose matrices lie anywhere: C_i = alpha · op(A_i) · op(B_i) + beta · C_i with A_i at a[i] and so
/// on. Several may have one A or B, or parts of it; no C may share elements with another C, nor with any A or B, which
/// is not looked at. Throws as gemm does, null pointers by their number, before any C is touched; where one is refused
/// for its entries (`tight`, `exact`), or memory ends, those before it are done. With alpha = 0 or k = 0 a and b may be
/// null.
template <gemm_scalar T>
GemmReport gemm_batch(Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
                      std::type_identity_t<T> alpha, const T* const* a, std::int64_t lda, const T* const* b,
                      std::int64_t ldb, std::type_identity_t<T> beta, T* const* c, std::int64_t ldc, std::int64_t batch,
                      const GemmOptions& options = {});

/// The same products on a queue's device, host to host: transfers included, and finished on return.
template <gemm_scalar T>
GemmReport gemm_strided_batch(Queue& queue, Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n,
                              std::int64_t k, std::type_identity_t<T> alpha, const T* a, std::int64_t lda,
                              std::int64_t stride_a, const T* b, std::int64_t ldb, std::int64_t stride_b,
                              std::type_identity_t<T> beta, T* c, std::int64_t ldc, std::int64_t stride_c,
                              std::int64_t batch, const GemmOptions& options = {});

/// C = alpha · op(A) · op(B) + beta · C on device memory, after the events of wait_list. Returns at once, but for the
/// modular engine, which waits for its first look at A and B: their exponents decide what comes after.
///
/// Matrix X begins at element offset_x of its buffer. Who reads C, or writes A, B or C, on another queue or the host
/// waits for the event first; handles may go earlier. Bits and error of DD and ZDD, and of the modular engine: those of
/// the CPU (in D and Z, entries and products that it gives up are plain sums in increasing order). The direct engine
/// computes S, D, C and Z in the device's own arithmetic, in an order of its own; S and C have no other. Besides what
/// gemm on host pointers throws: invalid_argument where a matrix does not lie in its buffer or C's elements overlap A's
/// or B's, self_test_failure where the device's arithmetic is not IEEE, build_failure, out_of_memory, device_failure.
/// Where a message begins with "OpenCL failed", and where the event fails, C is undefined. `report` is filled on
/// return, with entries_recomputed = −1 where that is not known before the event is complete.
/// options.threads, target, tile_rows, tile_columns and int8_library are the CPU's and do not apply.
template <gemm_scalar T>
Event gemm(Queue& queue, Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
           std::type_identity_t<T> alpha, const Buffer<T>& a, std::int64_t offset_a, std::int64_t lda,
           const Buffer<T>& b, std::int64_t offset_b, std::int64_t ldb, std::type_identity_t<T> beta, Buffer<T>& c,
           std::int64_t offset_c, std::int64_t ldc, const std::vector<Event>& wait_list = {},
           const GemmOptions& options = {}, GemmReport* report = nullptr);

/// The same product of views of device memory.
template <gemm_scalar T>
GemmEvent gemm(Queue& queue, std::type_identity_t<T> alpha, const BufferView<T>& a, const BufferView<T>& b,
               std::type_identity_t<T> beta, const BufferView<T>& c, const std::vector<Event>& wait_list = {},
               const GemmOptions& options = {});

/// `batch` products on device memory: matrix i of X begins at element offset_x + i · stride_x. A stride of 0 shares A
/// or B. Where one is refused for its entries (`tight`, `exact`), or memory ends, those before it are done or on their
/// way.
template <gemm_scalar T>
Event gemm_strided_batch(Queue& queue, Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
                         std::type_identity_t<T> alpha, const Buffer<T>& a, std::int64_t offset_a, std::int64_t lda,
                         std::int64_t stride_a, const Buffer<T>& b, std::int64_t offset_b, std::int64_t ldb,
                         std::int64_t stride_b, std::type_identity_t<T> beta, Buffer<T>& c, std::int64_t offset_c,
                         std::int64_t ldc, std::int64_t stride_c, std::int64_t batch,
                         const std::vector<Event>& wait_list = {}, const GemmOptions& options = {},
                         GemmReport* report = nullptr);

/// `batch` products on device memory whose matrices lie anywhere: matrix i of X begins at element offsets_x[i] of its
/// buffer. Offsets are in host memory, `batch` of each; they are read before the call returns, and each is checked
/// before anything is written. What may share elements is what gemm_batch on host pointers allows. Small products are
/// one launch, as in gemm_strided_batch, whose strides need not be sent to the device as offsets must be.
template <gemm_scalar T>
Event gemm_batch(Queue& queue, Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
                 std::type_identity_t<T> alpha, const Buffer<T>& a, const std::int64_t* offsets_a, std::int64_t lda,
                 const Buffer<T>& b, const std::int64_t* offsets_b, std::int64_t ldb, std::type_identity_t<T> beta,
                 Buffer<T>& c, const std::int64_t* offsets_c, std::int64_t ldc, std::int64_t batch,
                 const std::vector<Event>& wait_list = {}, const GemmOptions& options = {},
                 GemmReport* report = nullptr);

/// gemm under its BLAS name.
inline GemmReport ddgemm(Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k, dd_real alpha,
                         const dd_real* a, std::int64_t lda, const dd_real* b, std::int64_t ldb, dd_real beta,
                         dd_real* c, std::int64_t ldc, const GemmOptions& options = {}) {
  return gemm(layout, opa, opb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, options);
}
/// gemm under its BLAS name.
inline GemmReport zddgemm(Layout layout, Op opa, Op opb, std::int64_t m, std::int64_t n, std::int64_t k,
                          dd_complex alpha, const dd_complex* a, std::int64_t lda, const dd_complex* b,
                          std::int64_t ldb, dd_complex beta, dd_complex* c, std::int64_t ldc,
                          const GemmOptions& options = {}) {
  return gemm(layout, opa, opb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, options);
}

}  // namespace hilo
