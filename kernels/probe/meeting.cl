// Whether work-groups run side by side and see what others wrote: they meet `times`, and each reads all words that the
// others showed before the meeting.
#include "blas/meeting.cl"

// state: arrivals and ends, both 0 before; words: twice one of each group; *wrong counts what was not there. Where the
// launch is given up *wrong is at least 1.
__kernel void meet(volatile __global int* state, volatile __global int* words, volatile __global int* wrong, int times,
                   int looks) {
  __local int is_given_up;
  const int item = (int)get_local_id(0), items = (int)get_local_size(0);
  const int group = (int)get_group_id(0), groups = (int)get_num_groups(0);
  if (item == 0) is_given_up = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int t = 0; t < times; ++t) {
    if (item == 0) words[(t & 1) * groups + group] = t + group;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (item == 0) {
      arrive(state);
      if (wait_for(state, (t + 1) * groups, state + 1, groups, looks)) is_given_up = 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (is_given_up) {
      if (item == 0) atomic_inc(wrong);
      return;
    }
    for (int g = item; g < groups; g += items) {
      if (words[(t & 1) * groups + g] != t + g) atomic_inc(wrong);
    }
  }
}
