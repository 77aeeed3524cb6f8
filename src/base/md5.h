/* MD5 (RFC 1321), for formats that contain one. It detects accidental changes, not deliberate ones. */
#ifndef LL_BASE_MD5_H
#define LL_BASE_MD5_H

#include <stddef.h>
#include <stdint.h>

enum { LL_MD5_SIZE = 16 };

void ll_md5(const void *bytes, size_t size, uint8_t out[LL_MD5_SIZE]);

#endif
