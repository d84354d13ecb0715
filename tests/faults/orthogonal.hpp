// QR and least squares on a device, for calls to fail in.
#pragma once

#include "scenarios.hpp"

namespace hilo::test::faults {

std::unique_ptr<Scenario> orthogonal(const std::optional<Context>& context);

}  // namespace hilo::test::faults
