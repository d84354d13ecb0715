// Before double arithmetic that is not double-double: every operation rounded by itself.

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
