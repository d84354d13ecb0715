// Levels 1 and 2 of the BLAS in the order in which benchmarks print them. Bytes are those that a routine must read and
// write. Views are of host memory, or of buffers: then calls take a queue.
#pragma once

#include <hilo/blas.hpp>
#include <string>

namespace hilo::bench {

/// run(name, bytes, call) for sums over vectors.
template <class T, class Vector, class Run>
void for_sums(const Vector& x, const Vector& y, Run run) {
  const double bytes = static_cast<double>(x.size) * sizeof(T);
  run("dot", 2 * bytes, [&](auto&... queue) { hilo::dot(queue..., x, y); });
  if constexpr (is_complex(precision_of<T>)) {
    run("dotu", 2 * bytes, [&](auto&... queue) { hilo::dotu(queue..., x, y); });
  }
  run("nrm2", bytes, [&](auto&... queue) { hilo::nrm2(queue..., x); });
  run("asum", bytes, [&](auto&... queue) { hilo::asum(queue..., x); });
  run("iamax", bytes, [&](auto&... queue) { hilo::iamax(queue..., x); });
}

/// The same for level 1.
template <class T, class Vector, class Run>
void for_vectors(const Vector& x, const Vector& y, Run run) {
  const double bytes = static_cast<double>(x.size) * sizeof(T);
  const T small = T(1) / T(1024);
  run("copy", 2 * bytes, [&](auto&... queue) { hilo::copy(queue..., x, y); });
  run("scal", 2 * bytes, [&](auto&... queue) { hilo::scal(queue..., T(-1), x); });
  run("swap", 4 * bytes, [&](auto&... queue) { hilo::swap(queue..., x, y); });
  run("axpy", 3 * bytes, [&](auto&... queue) { hilo::axpy(queue..., small, x, y); });
  run("rot", 4 * bytes, [&](auto&... queue) { hilo::rot(queue..., x, y, real_type<T>(0.8), T(0.6)); });
  for_sums<T>(x, y, run);
}

/// The same for level 2 of an n × n matrix and vectors of n elements; lines marked with "rows" have rows side by side.
template <class T, class Matrix, class Vector, class Run>
void for_matrix(Layout layout, const Matrix& a, const Vector& u, const Vector& v, Run run_routine) {
  const double all = static_cast<double>(a.rows) * static_cast<double>(a.columns) * sizeof(T), half = all / 2;
  const T small = T(1) / T(1024);
  const auto run = [&](const std::string& name, double bytes, auto call) {
    run_routine(name + (layout == Layout::row ? " rows" : ""), bytes, call);
  };
  run("gemv", all, [&](auto&... queue) { hilo::gemv(queue..., T(1), a, u, T(0), v); });
  run("symv", half, [&](auto&... queue) { hilo::symv(queue..., Uplo::lower, T(1), a, u, T(0), v); });
  run("hemv", half, [&](auto&... queue) { hilo::hemv(queue..., Uplo::upper, T(1), a, u, T(0), v); });
  run("trmv", half, [&](auto&... queue) { hilo::trmv(queue..., Uplo::lower, Diag::non_unit, a, u); });
  run("trsv", half, [&](auto&... queue) { hilo::trsv(queue..., Uplo::lower, Diag::non_unit, a, u); });
  run("ger", 2 * all, [&](auto&... queue) { hilo::ger(queue..., small, u, v, a); });
  run("syr", all, [&](auto&... queue) { hilo::syr(queue..., Uplo::lower, small, u, a); });
  run("her2", all, [&](auto&... queue) { hilo::her2(queue..., Uplo::upper, small, u, v, a); });
}

}  // namespace hilo::bench
