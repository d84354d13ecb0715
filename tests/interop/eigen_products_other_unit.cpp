#include "eigen_products_test.hpp"

namespace hilo::testing {

DynamicMatrix product_of_other_unit(const DynamicMatrix& a, const DynamicMatrix& b) { return a * b; }

}  // namespace hilo::testing
