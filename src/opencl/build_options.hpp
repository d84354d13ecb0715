// OpenCL build options of a user: those that are known to leave every bit of a result as it is.
#pragma once

#include <string>

namespace hilo::opencl {

/// The options of a text, one space between them. Throws invalid_argument for one that is not known to be harmless,
/// with the reason: the compiler might compute something else, another text be compiled, or a name of the kernels' be
/// taken. "-D NAME", "-D NAME=VALUE" and "-DNAME" define capital names that no kernel has.
std::string checked_build_options(const std::string& text);

}  // namespace hilo::opencl
