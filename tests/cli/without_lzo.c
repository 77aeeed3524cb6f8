/* mrea_lzo.c as it is compiled where liblzo2 is not found. */
#include "../src/formats/mrea/mrea_lzo.c"
