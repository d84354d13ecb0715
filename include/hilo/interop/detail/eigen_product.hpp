// Eigen's products of dd_real matrices, from loops over fixed numbers of rows that compilers turn into vector code:
// Eigen's own kernels take a scalar without packets one at a time. For Eigen 3.4, whose internal templates these are;
// any other version runs its own.
#pragma once

#include <Eigen/Core>
#include <concepts>
#include <hilo/dd_real.hpp>
#include <type_traits>

#if EIGEN_VERSION_AT_LEAST(3, 4, 0) && !EIGEN_VERSION_AT_LEAST(3, 4, 90)

namespace hilo::detail {

// height × width sums of products, their words apart.
template <int height, int width>
struct EigenTile {
  double hi[width][height] = {}, lo[width][height] = {};

  // Adds the product of a column of `height` numbers and a row of `width`.
  [[gnu::always_inline]] inline void add_products(const dd_real* column, const dd_real* row) {
    for (int j = 0; j < width; ++j) {
      scalar_ops::dd y = {row[j].hi, row[j].lo};
      for (int i = 0; i < height; ++i) add(i, j, scalar_ops::multiply({column[i].hi, column[i].lo}, y));
    }
  }
  [[gnu::always_inline]] inline void add(int i, int j, scalar_ops::dd x) {
    scalar_ops::dd s = scalar_ops::add({hi[j][i], lo[j][i]}, x);
    hi[j][i] = s.hi;
    lo[j][i] = s.lo;
  }
  dd_real operator()(int i, int j) const { return dd_real(hi[j][i], lo[j][i]); }
};

// Panels of 8 rows, then of 4, 2 and 1, call(std::integral_constant<int, height>(), first row) for each.
template <class Index, class Call>
void for_eigen_panels(Index rows, Call&& call) {
  Index i = 0;
  for (; i + 8 <= rows; i += 8) call(std::integral_constant<int, 8>(), i);
  if (i + 4 <= rows) call(std::integral_constant<int, 4>(), i), i += 4;
  if (i + 2 <= rows) call(std::integral_constant<int, 2>(), i), i += 2;
  if (i < rows) call(std::integral_constant<int, 1>(), i);
}

// Packs rows of A in such panels, each column by column. element(i, k) is entry (i, k) of A.
template <class Index, class Element>
void pack_eigen_rows(dd_real* block, Index rows, Index depth, Index stride, Index offset, Element&& element) {
  for_eigen_panels(rows, [&](auto height, Index i) {
    dd_real* panel = block + i * stride + height() * offset;
    for (Index k = 0; k < depth; ++k)
      for (int w = 0; w < height(); ++w) *panel++ = element(i + w, k);
  });
}

}  // namespace hilo::detail

namespace Eigen::internal {

template <int Arch, int PacketFiltering>
class gebp_traits<hilo::dd_real, hilo::dd_real, false, false, Arch, PacketFiltering> {
 public:
  using ResScalar = hilo::dd_real;
  using LhsPacket = hilo::dd_real;
  using RhsPacket = hilo::dd_real;
  using ResPacket = hilo::dd_real;
  using LhsPacket4Packing = hilo::dd_real;
  enum {
    Vectorizable = false,
    LhsPacketSize = 1,
    RhsPacketSize = 1,
    ResPacketSize = 1,
    NumberOfRegisters = EIGEN_ARCH_DEFAULT_NUMBER_OF_REGISTERS,
    mr = 8,
    nr = 4,
    LhsProgress = 8,
    RhsProgress = 1
  };
};

// C += alpha · A · B for packed blocks: A in panels as above, B in panels of 4 columns and then single ones, row by
// row.
template <class Index, class DataMapper, bool ConjugateLhs, bool ConjugateRhs>
struct gebp_kernel<hilo::dd_real, hilo::dd_real, Index, DataMapper, 8, 4, ConjugateLhs, ConjugateRhs> {
  using dd_real = hilo::dd_real;

  EIGEN_DONT_INLINE void operator()(const DataMapper& result, const dd_real* a, const dd_real* b, Index rows,
                                    Index depth, Index columns, dd_real alpha, Index a_stride = -1, Index b_stride = -1,
                                    Index a_offset = 0, Index b_offset = 0) {
    if (a_stride == -1) a_stride = depth;
    if (b_stride == -1) b_stride = depth;
    hilo::detail::for_eigen_panels(rows, [&](auto height, Index i) {
      const dd_real* panel = a + i * a_stride + height() * a_offset;
      Index j = 0;
      for (; j + 4 <= columns; j += 4)
        multiply<height(), 4>(result, i, j, panel, b + j * b_stride + 4 * b_offset, depth, alpha);
      for (; j < columns; ++j) multiply<height(), 1>(result, i, j, panel, b + j * b_stride + b_offset, depth, alpha);
    });
  }

 private:
  template <int height, int width>
  [[gnu::flatten]] static void multiply(const DataMapper& result, Index row, Index column, const dd_real* a,
                                        const dd_real* b, Index depth, dd_real alpha) {
    hilo::detail::EigenTile<height, width> sums;
    for (Index k = 0; k < depth; ++k, a += height, b += width) sums.add_products(a, b);
    for (int j = 0; j < width; ++j)
      for (int i = 0; i < height; ++i) result(row + i, column + j) += alpha * sums(i, j);
  }
};

template <class Index, class DataMapper, int Pack2, class Packet, bool Conjugate, bool PanelMode>
struct gemm_pack_lhs<hilo::dd_real, Index, DataMapper, 8, Pack2, Packet, ColMajor, Conjugate, PanelMode> {
  EIGEN_DONT_INLINE void operator()(hilo::dd_real* block, const DataMapper& lhs, Index depth, Index rows,
                                    Index stride = 0, Index offset = 0) {
    hilo::detail::pack_eigen_rows(block, rows, depth, PanelMode ? stride : depth, offset,
                                  [&](Index i, Index k) { return lhs(i, k); });
  }
};
template <class Index, class DataMapper, int Pack2, class Packet, bool Conjugate, bool PanelMode>
struct gemm_pack_lhs<hilo::dd_real, Index, DataMapper, 8, Pack2, Packet, RowMajor, Conjugate, PanelMode>
    : gemm_pack_lhs<hilo::dd_real, Index, DataMapper, 8, Pack2, Packet, ColMajor, Conjugate, PanelMode> {};

// The same from a symmetric matrix of which the lower triangle is stored.
template <class Index, int Pack2, int StorageOrder>
struct symm_pack_lhs<hilo::dd_real, Index, 8, Pack2, StorageOrder> {
  void operator()(hilo::dd_real* block, const hilo::dd_real* data, Index data_stride, Index depth, Index rows) {
    const_blas_data_mapper<hilo::dd_real, Index, StorageOrder> lhs(data, data_stride);
    hilo::detail::pack_eigen_rows(block, rows, depth, depth, Index(0),
                                  [&](Index i, Index k) { return i >= k ? lhs(i, k) : lhs(k, i); });
  }
};

// y += alpha · A · x, A by columns: 32 rows at a time, for as many independent sums as hide the latency of one.
template <class Index, class LhsMapper, bool ConjugateLhs, class RhsMapper, bool ConjugateRhs>
struct general_matrix_vector_product<Index, hilo::dd_real, LhsMapper, ColMajor, ConjugateLhs, hilo::dd_real, RhsMapper,
                                     ConjugateRhs, BuiltIn> {
  using dd_real = hilo::dd_real;

  EIGEN_DONT_INLINE static void run(Index rows, Index columns, const LhsMapper& a, const RhsMapper& x, dd_real* y,
                                    Index /*increment, which is 1*/, dd_real alpha) {
    Index i = 0;
    for (; i + 32 <= rows; i += 32) multiply<32>(i, columns, a, x, y, alpha);
    hilo::detail::for_eigen_panels(
        rows - i, [&](auto height, Index first) { multiply<height()>(i + first, columns, a, x, y, alpha); });
  }

 private:
  template <int height>
  [[gnu::flatten]] static void multiply(Index row, Index columns, const LhsMapper& a, const RhsMapper& x, dd_real* y,
                                        dd_real alpha) {
    hilo::detail::EigenTile<height, 1> sums;
    for (Index k = 0; k < columns; ++k) {
      dd_real factor = x(k, 0);
      sums.add_products(&a(row, k), &factor);
    }
    for (int i = 0; i < height; ++i) y[row + i] += alpha * sums(i, 0);
  }
};

// y += alpha · A · x, A by rows: 4 rows at a time, each as 8 sums of every eighth product.
template <class Index, class LhsMapper, bool ConjugateLhs, class RhsMapper, bool ConjugateRhs>
struct general_matrix_vector_product<Index, hilo::dd_real, LhsMapper, RowMajor, ConjugateLhs, hilo::dd_real, RhsMapper,
                                     ConjugateRhs, BuiltIn> {
  using dd_real = hilo::dd_real;

  EIGEN_DONT_INLINE static void run(Index rows, Index columns, const LhsMapper& a, const RhsMapper& x, dd_real* y,
                                    Index increment, dd_real alpha) {
    Index i = 0;
    for (; i + 4 <= rows; i += 4) multiply<4>(i, columns, a, x, y, increment, alpha);
    for (; i < rows; ++i) multiply<1>(i, columns, a, x, y, increment, alpha);
  }

 private:
  template <int height>
  [[gnu::flatten]] static void multiply(Index row, Index columns, const LhsMapper& a, const RhsMapper& x, dd_real* y,
                                        Index increment, dd_real alpha) {
    using ops = hilo::detail::scalar_ops;
    hilo::detail::EigenTile<8, height> sums;
    Index whole = columns / 8 * 8;
    auto add_products = [&](Index k, auto count) {
      const dd_real* factors = &x(k, 0);
      for (int j = 0; j < height; ++j) {
        const dd_real* entries = &a(row + j, k);
        for (int i = 0; i < count; ++i)
          sums.add(i, j, ops::multiply({entries[i].hi, entries[i].lo}, {factors[i].hi, factors[i].lo}));
      }
    };
    for (Index k = 0; k < whole; k += 8) add_products(k, std::integral_constant<int, 8>());
    if (whole < columns) add_products(whole, static_cast<int>(columns - whole));
    for (int j = 0; j < height; ++j) {
      dd_real left = (sums(0, j) + sums(1, j)) + (sums(2, j) + sums(3, j));
      dd_real right = (sums(4, j) + sums(5, j)) + (sums(6, j) + sums(7, j));
      y[(row + j) * increment] += alpha * (left + right);
    }
  }
};

// A matrix of words times one of dd_real: as two of dd_real. Eigen's own kernels do not mix the two.
template <class Lhs, class Rhs>
requires(std::same_as<typename ScalarBinaryOpTraits<typename Lhs::Scalar, typename Rhs::Scalar>::ReturnType,
                      hilo::dd_real> &&
         !std::same_as<typename Lhs::Scalar, typename Rhs::Scalar>) struct generic_product_impl<Lhs, Rhs, DenseShape,
                                                                                                DenseShape, GemmProduct>
    : generic_product_impl_base<Lhs, Rhs, generic_product_impl<Lhs, Rhs, DenseShape, DenseShape, GemmProduct>> {
  template <class Result>
  static void scaleAndAddTo(Result& result, const Lhs& lhs, const Rhs& rhs, const hilo::dd_real& alpha) {
    result.noalias() += alpha * (lhs.template cast<hilo::dd_real>() * rhs.template cast<hilo::dd_real>());
  }
};

}  // namespace Eigen::internal

#endif
