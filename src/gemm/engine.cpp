#include "gemm/engine.hpp"

#include <algorithm>
#include <string>

#include "gemm/modular/guarantee.hpp"

namespace hilo {

Engine reproducible_engine(const GemmShape& shape) {
  constexpr std::int64_t least = 256;
  return std::min({shape.m, shape.n, shape.k}) >= least ? Engine::modular : Engine::direct;
}

Engine engine_asked_for(Precision precision, Backend backend, const GemmShape& shape, const GemmOptions& options) {
  const bool wants_modular = options.engine == Engine::modular || modular::is_needed(options.accuracy);
  const auto refuse = [](const std::string& why) { throw error(errc::unsupported, "gemm: " + why); };
  if (options.engine == Engine::direct && wants_modular) {
    refuse("accuracy " + std::string(name(options.accuracy)) + " is not one of engine direct's");
  }
  if (!has_modular_engine(precision)) {
    const std::string which = "precision " + std::string(name(precision));
    // A BLAS library is taken for `reproducible` too, though its bits are its own.
    if (backend == Backend::opencl && (wants_modular || options.engine == Engine::reproducible)) {
      refuse(which + " has engine direct alone");
    }
    if (wants_modular) {
      refuse(which + " has no modular engine, nor the accuracies that take it; d, z, dd and zdd have");
    }
    return Engine::direct;
  }
  if (wants_modular) return Engine::modular;
  if (options.engine == Engine::reproducible) {
    return is_double_double(precision) ? reproducible_engine(shape) : Engine::modular;
  }
  // In D and Z a BLAS library, where `automatic` may be the other engine on a device.
  const bool is_decided = backend == Backend::cpu && !is_double_double(precision);
  return is_decided ? Engine::direct : options.engine;
}

}  // namespace hilo
