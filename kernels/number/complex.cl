// Whether a number is a complex one.
#pragma once

#ifndef IS_COMPLEX
#define IS_COMPLEX 0
#endif
#if IS_COMPLEX != 0 && IS_COMPLEX != 1
#error "hilo: IS_COMPLEX is none of 0 1"
#endif
