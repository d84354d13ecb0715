// A product of matrices in host memory in panels through one device or several.
#pragma once

#include <hilo/gemm.hpp>
#include <string>
#include <vector>

#include "gemm/device_product.hpp"
#include "stream/pipeline.hpp"

namespace hilo::stream {

/// C = alpha · A · B + beta · C of host memory: sizes, alpha and beta are those of `product`, whose views are packed.
struct HostProduct {
  HostMatrix operands[2], c;
  DeviceProduct product;
  GemmShape shape;
  std::optional<Uplo> triangle = {};  ///< of C that is wanted alone, as Cut::of_triangle() has it

  bool reads_c() const { return !(product.beta == dd_complex(0)); }
  /// Of some rows of A and columns of B; of a triangle such as make one.
  HostProduct part(std::int64_t first_row, std::int64_t rows, std::int64_t first_column, std::int64_t columns) const;
};

class PeerRings;

/// A device and its plan of the whole product.
struct Way {
  opencl::QueueState* queue;
  DevicePlan plan;
  std::int64_t room_bytes = 0;    ///< of its memory, where matrices have some; 0: what the options leave
  std::int64_t matrix_bytes = 0;  ///< what these take then
};

/// Whether a product's matrices and workspace are more than the device has or the caller gives.
bool exceeds_device(const opencl::ContextState& context, const DevicePlan& plan, const GemmShape& shape,
                    const GemmOptions& options);

/// Whether its engine takes panels.
bool takes_panels(const DevicePlan& plan, const GemmShape& shape);

/// Whether a product is to go in panels: where it has to, or where it is large enough that transfers behind its
/// arithmetic pay.
bool wants_panels(const opencl::ContextState& context, const DevicePlan& plan, const GemmShape& shape,
                  const GemmOptions& options);

/// What became of a product, and of C: where entries do not let panels tell what the whole decides, it is as it was, or
/// of no particular value, which it may be where beta is 0.
enum class Outcome { done, undone, undone_and_undefined };

/// One product, m, n >= 1, which reads A and B, on all devices at a time, each with a part of C; finished on return,
/// and reported, the way of each. What several need of a large pinned operand comes from the host once, by `rings`,
/// where there are some. Throws before C is written, or says that C is undefined.
Outcome multiply_in_panels(const std::vector<Way>& ways, const HostProduct& product, const GemmOptions& options,
                           PeerRings* rings, GemmReport& report, std::vector<StreamReport>& streams);

/// The same of parts that are each on its device's, those of `product` together; whose operands and C are where the
/// parts have them.
Outcome multiply_parts(const std::vector<Way>& ways, const HostProduct& product, const std::vector<HostProduct>& parts,
                       const GemmOptions& options, GemmReport& report, std::vector<StreamReport>& streams);

/// call(), after something has been written to C: a failure says that it is undefined.
template <class Call>
auto after_writing(Call call) {
  try {
    return opencl::guarded("computing a product", call);
  } catch (const error& failure) {
    constexpr const char* undefined = "; C is undefined";
    const std::string message = failure.what();
    throw error(failure.code(), message.find(undefined) == message.npos ? message + undefined : message);
  }
}

}  // namespace hilo::stream
