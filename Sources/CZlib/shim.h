#ifndef CZLIB_SHIM_H
#define CZLIB_SHIM_H

/// Input is const.
#define ZLIB_CONST
#include <zlib.h>

/// deflateInit2() is a macro, which Swift cannot call. 16 selects the format gzip (RFC 1952), 15 the window, and 8 the
/// usual memory: 256 KiB in all.
static inline int shim_gzip_init(z_stream *_Nonnull stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

/// inflateInit2() is a macro too.
static inline int shim_gunzip_init(z_stream *_Nonnull stream) {
    return inflateInit2(stream, 15 + 16);
}

#endif
