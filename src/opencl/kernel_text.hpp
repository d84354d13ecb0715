// The texts of the kernels: embedded ones, or those of $HILO_KERNEL_PATH, with what they include.
#pragma once

#include <string>

namespace hilo::opencl {

/// The text at `path` (product/pack.cl) with all that it includes, each once, as one text. A text that the folder
/// $HILO_KERNEL_PATH holds is taken from there. Throws io where that is no folder, or a text is in neither place.
std::string kernel_text(const std::string& path);

/// All texts that there are, one after the other.
std::string all_kernel_texts();

}  // namespace hilo::opencl
