// A product in a unit of its own, which knows nothing of hilo's engines.
#pragma once

#include <Eigen/Core>
#include <hilo/interop/eigen.hpp>

namespace hilo::testing {

using DynamicMatrix = Eigen::Matrix<dd_real, Eigen::Dynamic, Eigen::Dynamic>;
DynamicMatrix product_of_other_unit(const DynamicMatrix& a, const DynamicMatrix& b);

}  // namespace hilo::testing
