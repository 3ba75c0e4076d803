/* What valgrind 3.19 lacks for a program in Swift, loaded before the C library: sigsuspend(2), at which it writes to the
   caller's mask, which libdispatch keeps in memory that cannot be written to; and openat2(2), without which the program
   opens paths in another way. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <unistd.h>

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
        errno = ENOSYS;
        return -1;
    }
    if (next == NULL) next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return next(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}
