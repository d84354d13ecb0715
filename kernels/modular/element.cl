// What an element is made of.
//
//   WORDS   1 2   doubles in a real number: hi, or hi and lo
//   PARTS   1 2   real numbers in an element
#pragma once

#ifndef WORDS
#define WORDS 2
#endif
#if WORDS != 1 && WORDS != 2
#error "hilo: WORDS is none of 1 2"
#endif
#ifndef PARTS
#define PARTS 1
#endif
#if PARTS != 1 && PARTS != 2
#error "hilo: PARTS is none of 1 2"
#endif
