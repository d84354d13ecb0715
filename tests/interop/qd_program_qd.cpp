// The program for QD, with QD.
#include <qd/dd_real.h>
#define QD_PROGRAM qd_program_with_qd
#include "qd_program.hpp"
