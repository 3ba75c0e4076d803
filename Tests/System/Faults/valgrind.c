/* What valgrind 3.19 lacks for a program in Swift, loaded before the C library: sigsuspend(2), at which it writes to the
   caller's mask, which libdispatch keeps in memory that cannot be written to; and openat2(2), whose rules on paths do not
   matter to a test of memory. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>

struct open_how {
    uint64_t flags, mode, resolve;
};

int sigsuspend(const sigset_t *mask) {
    (void)mask;
    for (;;) pause();
}

long syscall(long number, ...) {
    const long openat2_number = 437;
    static long (*next)(long, ...);
    long arguments[6];
    va_list list;
    va_start(list, number);
    for (int index = 0; index < 6; index++) arguments[index] = va_arg(list, long);
    va_end(list);
    if (number == openat2_number) {
        const struct open_how *how = (const struct open_how *)arguments[2];
        return openat((int)arguments[0], (const char *)arguments[1], (int)how->flags, (mode_t)how->mode);
    }
    if (next == NULL) next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return next(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}
