/* manifest.c as it is compiled where expat is not found. */
#include "../src/workspace/manifest.c"
