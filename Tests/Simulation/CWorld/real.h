// The functions of the C library itself.

#ifndef REAL_H
#define REAL_H

#define _GNU_SOURCE
#include <dlfcn.h>

#define REAL(name)                                                        \
    ({                                                                    \
        static __typeof__(&name) real;                                    \
        if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
        real;                                                             \
    })

#endif
