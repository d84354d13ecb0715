// Instructions that a device has and its OpenCL compiler rejects: kernels hold them as comments of PTX, in inline
// assembly, "//@wgmma.fence.sync.aligned;". Of the PTX that the compiler makes of such a kernel the marks are removed,
// and its target is named anew; that text is then built as a binary.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hilo::opencl {

/// PTX with its late-bound instructions bound, for the target sm_90a instead of sm_90. Each of `instructions`, a name
/// like "wgmma.fence", must occur at least once; how often is the compiler's affair, which unrolls loops. Throws
/// build_failure, saying what was not found.
std::string bind_late(std::string_view ptx, const std::vector<std::string>& instructions);

/// The PTX with room for so many work-groups in a multiprocessor, of every kernel whose size of work-groups is fixed;
/// empty where there is none, or no PTX.
std::string with_groups_per_unit(std::string_view ptx, int groups);

}  // namespace hilo::opencl
