// Vectors element by element.
//
//   ELEMENTS   1 2 4   elements of a work-item, 16 bytes of them or one
#include "blas/operators.cl"
#include "number/arguments.cl"

#ifndef ELEMENTS
#define ELEMENTS 1
#endif
#if ELEMENTS != 1 && ELEMENTS != 2 && ELEMENTS != 4
#error "hilo: ELEMENTS is none of 1 2 4"
#endif

// Element e of the work-item; those of a work-group lie side by side.
HILO_FN long element_number(int e) {
  return ((long)get_group_id(0) * ELEMENTS + e) * (long)get_local_size(0) + (long)get_local_id(0);
}
HILO_FN element load_at(__global const part_in_memory* x, vector_view v, long i) {
  return load_whole(x, v.offset + i * v.stride);
}
HILO_FN void store_at(__global part_in_memory* x, vector_view v, long i, element y) {
  store_whole(x, v.offset + i * v.stride, y);
}
#define FOR_ELEMENTS FOR(e, ELEMENTS) if (element_number(e) < p.size)

// y = alpha · x + y.
__kernel void axpy(__global const part_in_memory* x, __global part_in_memory* y, scalar alpha, vector_arguments p) {
  const element a = element_of(alpha);
  element left[ELEMENTS], right[ELEMENTS];
  FOR_ELEMENTS {
    left[e] = load_at(x, p.x, element_number(e));
    right[e] = load_at(y, p.y, element_number(e));
  }
  FOR_ELEMENTS store_at(y, p.y, element_number(e), add_elements(multiply_elements(a, left[e]), right[e]));
}

// x = alpha · x, or 0.
__kernel void scale(__global part_in_memory* x, scalar alpha, vector_arguments p) {
  const element a = element_of(alpha);
  element each[ELEMENTS];
  FOR_ELEMENTS each[e] = p.sets_zero ? zero_element() : load_at(x, p.x, element_number(e));
  FOR_ELEMENTS store_at(x, p.x, element_number(e), p.sets_zero ? each[e] : multiply_elements(a, each[e]));
}

// y = x.
__kernel void copy(__global const part_in_memory* x, __global part_in_memory* y, vector_arguments p) {
  element each[ELEMENTS];
  FOR_ELEMENTS each[e] = load_at(x, p.x, element_number(e));
  FOR_ELEMENTS store_at(y, p.y, element_number(e), each[e]);
}

__kernel void exchange(__global part_in_memory* x, __global part_in_memory* y, vector_arguments p) {
  element left[ELEMENTS], right[ELEMENTS];
  FOR_ELEMENTS {
    left[e] = load_at(x, p.x, element_number(e));
    right[e] = load_at(y, p.y, element_number(e));
  }
  FOR_ELEMENTS {
    store_at(x, p.x, element_number(e), right[e]);
    store_at(y, p.y, element_number(e), left[e]);
  }
}

HILO_FN element multiply_by_real(part c, element x) {
  FOR_PARTS x.p[part_] = product(c, x.p[part_]);
  return x;
}

// (x, y) = (c · x + s · y, c · y − conj(s) · x); c is real.
__kernel void rotate_by(__global part_in_memory* x, __global part_in_memory* y, scalar cosine, scalar sine,
                        vector_arguments p) {
  const part c = element_of(cosine).p[0];
  const element s = element_of(sine), conjugate = conjugated(s, 1);
  element left[ELEMENTS], right[ELEMENTS];
  FOR_ELEMENTS {
    left[e] = load_at(x, p.x, element_number(e));
    right[e] = load_at(y, p.y, element_number(e));
  }
  FOR_ELEMENTS {
    store_at(x, p.x, element_number(e), add_elements(multiply_by_real(c, left[e]), multiply_elements(s, right[e])));
    store_at(y, p.y, element_number(e),
             add_elements(multiply_by_real(c, right[e]), negated(multiply_elements(conjugate, left[e]))));
  }
}
