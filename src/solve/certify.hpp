// Bounds of all right-hand sides, by what proves them at the least cost: one text for every place.
#pragma once

#include <numeric>
#include <optional>
#include <vector>

#include "solve/certificate.hpp"

namespace hilo::solver {

/// The bounds of a solved system, by factors in double where they are at hand, by a product in double, and by one in
/// double-double with an inverse in double and then one in double-double. Products are not made where magnitudes tell
/// that they will prove nothing. Beside what certificate.hpp asks for, a place has in_double_double(system, inverse).
template <class T, class System>
class Certifier {
 public:
  Certifier(System& system, SolveReport& report)
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
      by_double_double();
      if (!is_done() && system_.has_factors_in_double() && system_.factor(system_.paths()[1])) {
        by_product(system_.inverse());
      }
    }
    if (is_done()) write();
  }

 private:
  bool is_done() const { return lines_.empty(); }

  bool by_double() {
    if (!system_.has_factors_in_double()) return false;
    if constexpr (System::has_triangles) {
      if (by_triangles()) return true;
      if (!inverse_) return false;
    } else {
      inverse_.emplace(system_.inverse_in_double());
    }
    Certificate certificate(system_, *inverse_);
    if (contracts(certificate)) {
      certificate.make_product(*inverse_);
      prove(certificate);
    }
    return is_done();
  }

  // By triangular factors in double and their inverses, which leave A's.
  bool by_triangles() {
    const auto triangles = system_.triangles();
    if (!triangles) return false;
    auto certificate = certificate_of(system_, *triangles);
    if (contracts(certificate)) prove(certificate);
    if (is_done()) return true;
    certificate.take_product();
    if (contracts(certificate)) {
      certificate.make_product();
      prove(certificate);
      if (is_done()) return true;
    }
    inverse_.emplace(certificate.inverse());
    return false;
  }

  void by_double_double() {
    if (!inverse_) return by_product(system_.inverse());
    auto inverse = in_double_double(system_, *inverse_);
    inverse_.reset();
    by_product(std::move(inverse));
  }
  template <class Inverse>
  void by_product(const Inverse& inverse) {
    Certificate certificate(system_, inverse);
    certificate.make_product(inverse);
    prove(certificate);
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

  System& system_;
  SolveReport& report_;
  int words_;
  std::vector<std::int64_t> lines_;  // without a proof so far
  std::vector<double> bounds_;
  std::optional<typename System::InverseInDouble> inverse_;
};

template <class T, class System>
void certify(System& system, SolveReport& report) {
  Certifier<T, System>(system, report).certify();
}

}  // namespace hilo::solver
