// programs.hpp: what a context's programs are made by and kept in.
#include <hilo/programs.hpp>

#include "opencl/build_options.hpp"
#include "opencl/native.hpp"
#include "opencl/program_archive.hpp"

namespace hilo {
namespace {

using opencl::ProgramSettings;

// `change` alters the settings of a context that has no program yet.
template <class Change>
void change_settings(const Context& context, const char* function, Change change) {
  if (!context.state()->programs.change_settings(change)) {
    throw error(errc::invalid_argument, std::string(function) + ": the context has compiled programs already");
  }
}

}  // namespace

void set_build_options(const Context& context, const std::string& options) {
  const std::string checked =
      opencl::guarded("checking build options", [&] { return opencl::checked_build_options(options); });
  change_settings(context, "set_build_options", [&](ProgramSettings& settings) { settings.options = checked; });
}

std::string build_options(const Context& context) { return context.state()->programs.settings().options; }

void keep_programs(const Context& context) {
  change_settings(context, "keep_programs",
                  [](ProgramSettings& settings) { settings.kept = std::make_shared<opencl::ProgramArchive>(); });
}

std::string kept_programs(const Context& context, const std::string& purpose) {
  const std::shared_ptr<opencl::ProgramArchive> kept = context.state()->programs.settings().kept;
  if (!kept) throw error(errc::invalid_argument, "kept_programs: keep_programs was not called for the context");
  return opencl::guarded("putting programs together", [&] {
    return kept->text(opencl::archive_header(context.device(), build_options(context), purpose));
  });
}

void use_programs(const Context& context, std::string_view bytes, const std::string& name) {
  const auto archive = opencl::guarded("reading programs", [&] {
    auto read = std::make_shared<opencl::ProgramArchive>(bytes, name);
    opencl::check_archive(*read, opencl::archive_header(context.device(), build_options(context), ""));
    return read;
  });
  change_settings(context, "use_programs", [&](ProgramSettings& settings) { settings.source = archive; });
}

ProgramTally program_tally(const Context& context) { return context.state()->programs.tally(); }

}  // namespace hilo
