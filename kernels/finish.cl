// After the product: super-chunks added in order, entries that are not finite computed again, alpha, beta, C.
//
//   PANEL_LANES   as in pack.cl: so many rows of a partial sum store their hi words, then their lo words

#define CHUNK 64
#define SUPERCHUNK 4096

#define FIRST_SLICE 1
#define LAST_SLICE 2

HILO_FN int is_word(dd x, double word) { return x.hi == word && x.lo == 0.0; }
HILO_FN int is_finite(dd x) { return x.hi - x.hi == 0.0; }

// The sum of an entry by the definition, one step after the other; without FMA, by the step that takes any operand.
HILO_FN dd sum_scaled(__global const double2* a, matrix_view a_view, __global const double2* b, matrix_view b_view,
                      long row, long column, long steps, int interval) {
  dd total = {0.0, 0.0};
  for (long start = 0; start < steps; start += SUPERCHUNK) {
    dd partial = {0.0, 0.0};
    for (long chunk = start; chunk < min(steps, start + SUPERCHUNK); chunk += CHUNK) {
      dd sum = {0.0, 0.0};
      for (long s = chunk; s < min(steps, chunk + CHUNK); ++s) {
        sum = step_split_scaled(sum, left_operand(a, a_view, row, s), right_operand(b, b_view, s, column));
        if ((s - chunk) % interval == interval - 1) sum = fast_two_sum(sum.hi, sum.lo);
      }
      partial = add_finite(partial, two_sum(sum.hi, sum.lo));
    }
    total = add_finite(total, partial);
  }
  return total;
}

HILO_FN dd sum_plain(__global const double2* a, matrix_view a_view, __global const double2* b, matrix_view b_view,
                     long row, long column, long steps) {
  double sum = 0.0;
  for (long s = 0; s < steps; ++s) {
    sum += mul(left_operand(a, a_view, row, s).hi, right_operand(b, b_view, s, column).hi);
  }
  dd r = {sum == sum ? sum : as_double(0x7ff8000000000000UL), 0.0};
  return r;
}

HILO_FN dd load(__global const double2* x, long index) {
  dd r = {x[index].x, x[index].y};
  return r;
}

HILO_FN void store(__global double2* x, long index, dd value) { x[index] = (double2)(value.hi, value.lo); }

// c = beta * c, or sum[] * alpha + beta * c, for the element at `index` of C; c is not read where beta = 0.
#if IS_COMPLEX
HILO_FN dd subtract(dd x, dd y) {
  dd minus = {-y.hi, -y.lo};
  return add(x, minus);
}

HILO_FN void multiply_complex(dd re, dd im, dd* z) {
  dd x = z[0], y = z[1];
  z[0] = subtract(multiply(re, x), multiply(im, y));
  z[1] = add(multiply(re, y), multiply(im, x));
}

HILO_FN void scale_element(__global double2* c, long index, double4 beta) {
  dd re = {beta.x, beta.y}, im = {beta.z, beta.w};
  dd z[2] = {{0.0, 0.0}, {0.0, 0.0}};
  if (!is_word(re, 0.0) || !is_word(im, 0.0)) {
    z[0] = load(c, 2 * index);
    z[1] = load(c, 2 * index + 1);
    if (!is_word(re, 1.0) || !is_word(im, 0.0)) multiply_complex(re, im, z);
  }
  store(c, 2 * index, z[0]);
  store(c, 2 * index + 1, z[1]);
}

HILO_FN void update_element(__global double2* c, long index, dd* sum, double4 alpha, double4 beta) {
  dd alpha_re = {alpha.x, alpha.y}, alpha_im = {alpha.z, alpha.w};
  dd beta_re = {beta.x, beta.y}, beta_im = {beta.z, beta.w};
  if (!is_word(alpha_re, 1.0) || !is_word(alpha_im, 0.0)) multiply_complex(alpha_re, alpha_im, sum);
  if (!is_word(beta_re, 0.0) || !is_word(beta_im, 0.0)) {
    dd z[2];
    z[0] = load(c, 2 * index);
    z[1] = load(c, 2 * index + 1);
    if (!is_word(beta_re, 1.0) || !is_word(beta_im, 0.0)) multiply_complex(beta_re, beta_im, z);
    sum[0] = add(sum[0], z[0]);
    sum[1] = add(sum[1], z[1]);
  }
  store(c, 2 * index, sum[0]);
  store(c, 2 * index + 1, sum[1]);
}
#else
HILO_FN void scale_element(__global double2* c, long index, double4 beta) {
  dd scale = {beta.x, beta.y}, z = {0.0, 0.0};
  if (!is_word(scale, 0.0)) {
    z = load(c, index);
    if (!is_word(scale, 1.0)) z = multiply(scale, z);
  }
  store(c, index, z);
}

HILO_FN void update_element(__global double2* c, long index, dd* sum, double4 alpha, double4 beta) {
  dd factor = {alpha.x, alpha.y}, scale = {beta.x, beta.y};
  dd r = sum[0];
  if (!is_word(factor, 1.0)) r = multiply(factor, r);
  if (!is_word(scale, 0.0)) {
    dd z = load(c, index);
    if (!is_word(scale, 1.0)) z = multiply(scale, z);
    r = add(r, z);
  }
  store(c, index, r);
}
#endif

// C = beta * C, rows x columns.
__kernel void scale(__global double2* c, matrix_view view, int rows, int columns, double4 beta) {
  int i = (int)get_global_id(0), j = (int)get_global_id(1);
  if (i >= rows || j >= columns) return;
  scale_element(c, view.offset + i * view.row_stride + j * view.column_stride, beta);
}

// Adds `planes` partial sums [plane][column][row] in order to the totals of earlier slices of k; after the last
// slice, completes C, rows x columns. The views of A and B begin at this block's first row and column, and their
// whole `steps` are read again where a total is not finite. interval is 0 for the FMA sequence, which needs no
// second look at overflowed splittings, else the steps between two renormalisations.
__kernel void finish(__global const double* partial, int planes, int padded_rows, int padded_columns,
                     __global double2* totals, int slice, __global double2* c, matrix_view c_view, int rows,
                     int columns, double4 alpha, double4 beta, __global const double2* a, matrix_view a_view,
                     __global const double2* b, matrix_view b_view, long steps, int interval,
                     __global int* recomputed) {
  int i = (int)get_global_id(0), j = (int)get_global_id(1);
  if (i >= rows || j >= columns) return;
  dd sum[PARTS];
  for (int part = 0; part < PARTS; ++part) {
    int column = j * PARTS + part;
    size_t entry = (size_t)column * padded_rows + i;
    dd total = {0.0, 0.0};
    if (!(slice & FIRST_SLICE)) total = load(totals, (long)entry);
    for (int plane = 0; plane < planes; ++plane) {
      size_t at = entry + (size_t)plane * padded_rows * padded_columns;
      size_t lane = at % PANEL_LANES;
      __global const double* group = partial + 2 * (at - lane) + lane;
      dd value = {group[0], group[PANEL_LANES]};
      total = add_finite(total, value);
    }
    if (!(slice & LAST_SLICE)) {
      store(totals, (long)entry, total);
    } else if (!is_finite(total)) {
      if (interval) total = sum_scaled(a, a_view, b, b_view, i, column, steps, interval);
      if (!is_finite(total)) {
        total = sum_plain(a, a_view, b, b_view, i, column, steps);
        atomic_inc(recomputed);
      }
    }
    sum[part] = total;
  }
  if (slice & LAST_SLICE) {
    update_element(c, c_view.offset + i * c_view.row_stride + j * c_view.column_stride, sum, alpha, beta);
  }
}
