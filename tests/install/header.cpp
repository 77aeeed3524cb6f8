// See header.c.
#include "header.c"
