// Compiles header.c as C++17.
#include "header.c"
