#ifndef CZLIB_SHIM_H
#define CZLIB_SHIM_H

/// Input is const.
#define ZLIB_CONST
#include <zlib.h>

/// deflateInit2() is a macro, which Swift cannot call. The format is gzip (RFC 1952).
///
/// `window_bits` is from 9 to 15, and `memory_level` from 1 to 9: the state takes 2^(window_bits + 2) and
/// 2^(memory_level + 9) bytes.
static inline int shim_gzip_init(z_stream *_Nonnull stream, int level, int window_bits, int memory_level) {
    return deflateInit2(stream, level, Z_DEFLATED, window_bits + 16, memory_level, Z_DEFAULT_STRATEGY);
}

/// inflateInit2() is a macro too. The format is gzip.
static inline int shim_gunzip_init(z_stream *_Nonnull stream) {
    return inflateInit2(stream, 15 + 16);
}

#endif
