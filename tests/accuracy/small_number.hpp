// Small integers, exact in every type.
#pragma once

#include <hilo/precision.hpp>

namespace hilo::accuracy {

template <class T>
T number(int re, int im) {
  if constexpr (precisions::is_complex(precision_of<T>)) {
    using Part = decltype(real(T()));
    return T(Part(static_cast<float>(re)), Part(static_cast<float>(im)));
  } else {
    return T(static_cast<float>(re));
  }
}

}  // namespace hilo::accuracy
