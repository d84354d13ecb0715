// Bounds of all right-hand sides, by what proves them at the least cost.
#pragma once

#include <numeric>
#include <vector>

#include "solve/certificate.hpp"

namespace hilo::solver {

/// The bounds of a solved system, by factors in double, by a product in double, and by one in double-double with an
/// inverse in double and then one in double-double. Products are not made where magnitudes tell that they will prove
/// nothing.
template <class T>
class Certifier {
 public:
  Certifier(HostSystem<T>& system, SolveReport& report)
      : system_(system),
        report_(report),
        // As many words as leave the residual's error out of sight.
        words_(system.lost_of_residual(4) * report.condition <= 0x1p-120 ? 4 : most_words),
        lines_(static_cast<std::size_t>(system.columns())),
        bounds_(static_cast<std::size_t>(system.rows() * system.columns())) {
    std::iota(lines_.begin(), lines_.end(), std::int64_t{0});
  }

  void certify() {
    if (!by_double()) {
      prove(Certificate<T>(system_, inverse()));
      if (!is_done() && system_.has_factors_in_double() && system_.factor(system_.paths()[1])) {
        prove(Certificate<T>(system_, system_.inverse()));
      }
    }
    if (is_done()) write();
  }

 private:
  bool is_done() const { return lines_.empty(); }

  // By triangular factors in double and their inverses.
  bool by_double() {
    if (!system_.has_factors_in_double()) return false;
    const auto triangles = system_.triangles();
    if (!triangles) return false;
    {
      FactorCertificate<T> certificate(system_, *triangles);
      if (contracts(certificate)) prove(certificate);
      if (is_done()) return true;
      certificate.take_product();
      if (contracts(certificate)) {
        certificate.make_product();
        prove(certificate);
        if (is_done()) return true;
      }
      inverse_ = certificate.inverse();
    }
    Certificate<T> certificate(system_, inverse_);
    if (contracts(certificate)) {
      certificate.make_product(inverse_);
      prove(certificate);
    }
    return is_done();
  }

  std::vector<Solution<T>> inverse() const {
    if (inverse_.empty()) return system_.inverse();
    return {inverse_.begin(), inverse_.end()};
  }

  template <class C>
  void prove(const C& certificate) {
    std::erase_if(lines_, [&](std::int64_t j) {
      const auto bound = proved_bound(system_, certificate, j, words_);
      if (bound) system_.write_bound(j, *bound, bounds_.data() + j * system_.rows());
      return bound.has_value();
    });
  }
  template <class C>
  bool contracts(const C& certificate) const {
    return solver::contracts(certificate, system_.rows());
  }

  void write() {
    const std::int64_t n = system_.rows();
    report_.is_certified = true;
    report_.error_bound = 0.0;
    for (std::int64_t j = 0; j < system_.columns(); ++j) {
      double bound = 0.0, size = 0.0;
      for (std::int64_t i = 0; i < n; ++i) {
        bound = std::max(bound, bounds_[static_cast<std::size_t>(i + j * n)]);
        size = std::max(size, size_of(rounded_to<T>(system_.solution(i, j))));
      }
      if (bound > 0.0) report_.error_bound = std::max(report_.error_bound, bound / size);
    }
    report_.bounds = std::move(bounds_);
  }

  HostSystem<T>& system_;
  SolveReport& report_;
  int words_;
  std::vector<std::int64_t> lines_;  // without a proof so far
  std::vector<double> bounds_;
  std::vector<Leading<T>> inverse_;
};

template <class T>
void certify(HostSystem<T>& system, SolveReport& report) {
  Certifier<T>(system, report).certify();
}

}  // namespace hilo::solver
