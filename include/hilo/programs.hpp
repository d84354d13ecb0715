// The kernels of a context: options to compile them with, and compiled ones in a file, for runs that compile nothing.
//
//   hilo::keep_programs(context);                             // before its first product
//   ... products ...
//   std::string bytes = hilo::kept_programs(context, "what for");         // to be written to a file
//
//   hilo::use_programs(another, bytes, "kernels.bin");        // in another run: the same products, nothing compiled
#pragma once

#include <hilo/device.hpp>
#include <string>
#include <string_view>

namespace hilo {

/// Compiles all kernels of the context with further OpenCL build options. Before the context's first call that compiles
/// one: a Queue or a Buffer compiles nothing. Options that are not known to leave results as they are are refused
/// (docs/opencl.md lists the others). Throws invalid_argument, naming the option and why it is refused.
void set_build_options(const Context& context, const std::string& options);

/// The options that were set, one space between them.
std::string build_options(const Context& context);

/// Keeps, from now on, what is compiled for the context. Before its first call that compiles a kernel, for what was
/// compiled before is not kept; throws invalid_argument there. A call throws build_failure for a kernel whose binary
/// the driver does not give.
void keep_programs(const Context& context);

/// All that keep_programs has kept, as the bytes of a file that says for which device, driver, hilo and build options
/// it is; `purpose` tells people what it is for. Throws invalid_argument for a context that keeps nothing.
std::string kept_programs(const Context& context, const std::string& purpose);

/// Takes all kernels of the context from such bytes, and compiles none: a call throws build_failure for one that they
/// do not hold. After set_build_options, before the first call that compiles a kernel. `name` is the file's, for
/// messages. Throws parse where the bytes are not all that kept_programs gave, and invalid_argument where they are for
/// another device, driver, hilo (or other kernels of it) or other build options, naming what differs.
void use_programs(const Context& context, std::string_view bytes, const std::string& name);

/// How a context's programs came to be; each holds kernels.
struct ProgramTally {
  int built = 0;         ///< compiled from their texts
  int from_disk = 0;     ///< from hilo's cache on disk
  int loaded = 0;        ///< from what use_programs was given
  double seconds = 0.0;  ///< that this took in all
};

/// Of the programs that the context has by now, those of its device's self-tests among them.
ProgramTally program_tally(const Context& context);

}  // namespace hilo
