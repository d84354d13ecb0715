// The largest element of a vector, the first of equals, in one launch: the work-group that arrives last looks at what the
// others have found.
//
//   BY_PARTS   0 1   whether elements are compared by the larger of |re| and |im|, or by |re| + |im|
#include "blas/operators.cl"
#include "blas/meeting.cl"
#include "number/arguments.cl"

#ifndef BY_PARTS
#define BY_PARTS 0
#endif
#if BY_PARTS != 0 && BY_PARTS != 1
#error "hilo: BY_PARTS is none of 0 1"
#endif

// What elements are compared by; NaN before all others.
HILO_FN part size_of_element(element x) {
  part r = magnitude_of_part(x.p[0]);
#if IS_COMPLEX
  const part im = magnitude_of_part(x.p[1]);
#if BY_PARTS
  const int keeps = leading(r) != leading(r) || leading(r) > leading(im);
  if (!keeps) r = im;
#else
  r = plus(r, im);
#endif
#endif
  return r;
}
HILO_FN int comes_before(part x, long x_index, part y, long y_index) {
  const int x_is_nan = leading(x) != leading(x), y_is_nan = leading(y) != leading(y);
  if (x_index < 0) return 0;
  if (y_index < 0) return 1;
  if (x_is_nan || y_is_nan) return x_is_nan && (!y_is_nan || x_index < y_index);
  return is_larger(x, y) || (!is_larger(y, x) && x_index < y_index);
}

// The same where x has the larger index. Equals and NaN are seldom.
HILO_FN int comes_before_earlier(part x, long x_index, part y, long y_index) {
  if (leading(x) > leading(y)) return 1;
  return !(leading(x) < leading(y)) && comes_before(x, x_index, y, y_index);
}

#define SEEKERS 256
#define BATCH_OF_SEEKER 8
typedef struct {
  part_in_memory size;
  long index;  // -1 of none
} candidate;
typedef union {
  candidate all;
  int words[sizeof(candidate) / 4];
} candidate_words;

HILO_FN void show(volatile __global candidate* to, part_in_memory size, long index) {
#if BY_ATOMICS
  candidate_words w;
  w.all.size = size;
  w.all.index = index;
  show_words((volatile __global int*)to, w.words, sizeof w / 4);
#else
  to->size = size;
  to->index = index;
#endif
}
HILO_FN candidate see(volatile __global candidate* from) {
#if BY_ATOMICS
  candidate_words w;
  see_words((volatile __global int*)from, w.words, sizeof w / 4);
  return w.all;
#else
  const candidate x = {from->size, from->index};
  return x;
#endif
}

// All work-items: the first one has the largest of all in the end.
__attribute__((always_inline)) HILO_FN void keep_largest(__local part_in_memory* sizes, __local long* places, int item) {
  _Pragma("unroll 1") for (int upper = SEEKERS / 2; upper > 0; upper /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < upper &&
        comes_before(part_of(sizes[item + upper]), places[item + upper], part_of(sizes[item]), places[item])) {
      sizes[item] = sizes[item + upper];
      places[item] = places[item + upper];
    }
  }
}

// candidates: the largest element, and then that of each work-group. *arrivals is 0 before and after.
__kernel __attribute__((reqd_work_group_size(SEEKERS, 1, 1))) void find_largest(__global const part_in_memory* x,
                                                                                volatile __global candidate* candidates,
                                                                                volatile __global int* arrivals,
                                                                                sum_arguments p) {
  __local part_in_memory sizes[SEEKERS];
  __local long places[SEEKERS];
  __local int answer;
  const int item = (int)get_local_id(0), group = (int)get_group_id(0), groups = (int)get_num_groups(0);
  const long apart = (long)groups * SEEKERS;
  // A work-group's elements, and then what all groups have found.
  int finds_candidates = 1;
  for (int goes_on = 1; goes_on;) {
    part best = part_of_word(-1);  // below all sizes
    long place = -1;
    if (finds_candidates) {
      const long first = (long)group * SEEKERS + item;
      int row = 0, best_row = -1;
      _Pragma("unroll 1") for (long i = first; i < p.size; i += BATCH_OF_SEEKER * apart, row += BATCH_OF_SEEKER) {
        element batch[BATCH_OF_SEEKER];
        FOR(b, BATCH_OF_SEEKER) batch[b] = load_whole(x, p.x.offset + min(i + b * apart, p.size - 1) * p.x.stride);
        FOR(b, BATCH_OF_SEEKER) {
          const part m = size_of_element(batch[b]);
          if (i + b * apart < p.size && comes_before_earlier(m, row + b, best, best_row)) {
            best = m;
            best_row = row + b;
          }
        }
      }
      if (best_row >= 0) place = first + best_row * apart;
    } else {
      _Pragma("unroll 1") for (int g = item; g < groups; g += SEEKERS) {
        const candidate other = see(candidates + 1 + g);
        if (comes_before(part_of(other.size), other.index, best, place)) {
          best = part_of(other.size);
          place = other.index;
        }
      }
    }
    sizes[item] = in_memory(best);
    places[item] = place;
    keep_largest(sizes, places, item);
    if (item == 0) show(candidates + (finds_candidates ? 1 + group : 0), sizes[0], places[0]);
    // The last group alone comes here twice, and then is the first and the last.
    goes_on = is_last(arrivals, finds_candidates ? groups : 1, &answer) & finds_candidates;
    finds_candidates = 0;
  }
}
