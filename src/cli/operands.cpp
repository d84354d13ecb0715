#include "cli/operands.hpp"

namespace hilo::cli {
namespace {

template <class T>
data::Matrix<T> generated(const GemmRequest& r, char which, std::int64_t rows, std::int64_t columns,
                          data::Terms terms) {
  data::Matrix<T> x = data::zero_matrix<T>(rows, columns, r.layout, std::string(1, which));
  data::generate(r.generator.init, r.generator.phi, data::seed_of_matrix(r.seed, which), r.layout, rows, columns,
                 x.entries.data(), x.leading(), terms);
  return x;
}

}  // namespace

template <class T>
Operands<T> generated_operands(const GemmRequest& r, bool has_c) {
  constexpr auto columns = data::Terms::along_columns, rows = data::Terms::along_rows;
  bool plain_a = r.opa == Op::none, plain_b = r.opb == Op::none;
  Operands<T> o{data::zero_matrix<T>(r.m, r.n, r.layout, "C"),
                generated<T>(r, 'A', plain_a ? r.m : r.k, plain_a ? r.k : r.m, plain_a ? columns : rows),
                generated<T>(r, 'B', plain_b ? r.k : r.n, plain_b ? r.n : r.k, plain_b ? rows : columns),
                {}};
  if (has_c) o.c0 = generated<T>(r, 'C', r.m, r.n, data::Terms::none);
  return o;
}

template Operands<float> generated_operands(const GemmRequest&, bool);
template Operands<double> generated_operands(const GemmRequest&, bool);
template Operands<std::complex<float>> generated_operands(const GemmRequest&, bool);
template Operands<std::complex<double>> generated_operands(const GemmRequest&, bool);
template Operands<dd_real> generated_operands(const GemmRequest&, bool);
template Operands<dd_complex> generated_operands(const GemmRequest&, bool);

}  // namespace hilo::cli
