// Double precision, with every operation rounded by itself: contraction is on by default in OpenCL C.
#pragma once

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
