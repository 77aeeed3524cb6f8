/* Compiles manifest.c as without expat. */
#include "../src/workspace/manifest.c"
