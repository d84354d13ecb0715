#include "gemm/engine.hpp"

#include <algorithm>
#include <string>

namespace hilo {

bool needs_modular(Accuracy a) { return a != Accuracy::classic && a != Accuracy::fast; }

Engine reproducible_engine(const GemmShape& shape) {
  constexpr std::int64_t least = 256;
  return std::min({shape.m, shape.n, shape.k}) >= least ? Engine::modular : Engine::direct;
}

Engine engine_asked_for(Precision precision, Backend backend, const GemmShape& shape, const GemmOptions& options) {
  const bool wants_modular = options.engine == Engine::modular || needs_modular(options.accuracy);
  const auto refuse = [](const std::string& why) { throw error(errc::unsupported, "gemm: " + why); };
  if (!has_modular_engine(precision)) {
    const std::string which = "precision " + std::string(name(precision));
    if (wants_modular) {
      refuse(which + " has no modular engine, nor the accuracies that take it; d, z, dd and zdd have");
    }
    // The bits of a BLAS library are its own, those of a device its tile's.
    if (options.engine == Engine::reproducible && backend == Backend::opencl) {
      refuse(which + " has engine direct alone");
    }
    return Engine::direct;
  }
  if (options.engine == Engine::direct && wants_modular) {
    refuse("accuracy " + std::string(name(options.accuracy)) + " is not one of engine direct's");
  }
  if (wants_modular) return Engine::modular;
  if (options.engine == Engine::reproducible) {
    return is_double_double(precision) ? reproducible_engine(shape) : Engine::modular;
  }
  if (options.engine == Engine::automatic && backend == Backend::cpu && !is_double_double(precision)) {
    return Engine::direct;
  }
  return options.engine;
}

}  // namespace hilo
