/* Compiles manifest.c as without expat. */
#include "../src/packages/manifest.c"
