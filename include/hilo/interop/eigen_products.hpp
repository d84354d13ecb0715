// Eigen with hilo's engines: where one unit of a program includes this header, products of matrices and triangular
// solves inside Eigen, of dd_real, std::complex<dd_real> and dd_complex, run on them, in all units of the program that
// include <hilo/interop/eigen.hpp>. Unlike that header this one needs the library (hilo::hilo).
//
// In a program of several shared objects with hidden symbols (-fvisibility=hidden) each has its own units in this
// sense.
#pragma once

#include <hilo/gemm.hpp>
#include <hilo/interop/eigen.hpp>

namespace hilo {

/// What products inside Eigen ask of hilo: as gemm without options, unless set. For the whole process, and not while
/// another thread multiplies. Throws hilo::error where gemm would, and for an accuracy that is gemm's alone (tight,
/// exact).
void set_eigen_options(const GemmOptions& options);
GemmOptions eigen_options();

namespace detail {
template <class T>
const EigenEngines<T>* engines_for_eigen();
}  // namespace detail

/// Whether Eigen leaves products to hilo, as it does from the program's start on; otherwise its own loops run.
inline void use_engines_in_eigen(bool use = true) {
  detail::eigen_engines<dd_real>.store(use ? detail::engines_for_eigen<dd_real>() : nullptr, std::memory_order_release);
  detail::eigen_engines<dd_complex>.store(use ? detail::engines_for_eigen<dd_complex>() : nullptr,
                                          std::memory_order_release);
}

namespace detail {
inline const bool eigen_has_engines = (use_engines_in_eigen(), true);
}  // namespace detail

}  // namespace hilo
