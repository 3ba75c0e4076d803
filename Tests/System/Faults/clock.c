// Loaded before the C library (LD_PRELOAD, ld.so(8)), it lets the clocks of a process run CLOCK_RATE times as fast. All
// processes that have the same CLOCK_FROM, in seconds since 1970-01-01 UTC, agree on the time of the day.
//
// Timers of timerfd_create(2) expire by these clocks. Other waits take the real time.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>

#define SECOND 1000000000LL

static int (*real_gettime)(clockid_t, struct timespec *);
static int (*real_settime)(int, int, const struct itimerspec *, struct itimerspec *);
static long long rate = 1;
// The instant from which each clock runs faster, in nanoseconds.
static long long begin[16];

static long long nanoseconds(const struct timespec *time) { return time->tv_sec * SECOND + time->tv_nsec; }

static struct timespec timespec_of(long long nanoseconds) {
    return (struct timespec){.tv_sec = nanoseconds / SECOND, .tv_nsec = nanoseconds % SECOND};
}

static int is_scaled(clockid_t clock) {
    return clock >= 0 && clock < 16 && clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_THREAD_CPUTIME_ID;
}

__attribute__((constructor)) static void prepare(void) {
    real_gettime = (__typeof__(real_gettime))dlsym(RTLD_NEXT, "clock_gettime");
    real_settime = (__typeof__(real_settime))dlsym(RTLD_NEXT, "timerfd_settime");
    const char *given = getenv("CLOCK_RATE"), *from = getenv("CLOCK_FROM");
    struct timespec now;
    for (clockid_t clock = 0; clock < 16; clock++)
        if (is_scaled(clock) && real_gettime(clock, &now) == 0) begin[clock] = nanoseconds(&now);
    if (from != NULL) begin[CLOCK_REALTIME] = begin[CLOCK_REALTIME_COARSE] = atoll(from) * SECOND;
    if (given != NULL) rate = atoll(given);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (real_gettime == NULL) prepare();
    int result = real_gettime(clock, time);
    if (result == 0 && is_scaled(clock)) *time = timespec_of(begin[clock] + (nanoseconds(time) - begin[clock]) * rate);
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec now;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    *time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    if (result != NULL) *result = now.tv_sec;
    return now.tv_sec;
}

// Which clock a timer goes by is not known here; its instant is nearest to one of that clock.
static clockid_t nearest(long long instant) {
    clockid_t best = CLOCK_MONOTONIC;
    long long least = -1;
    static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME};
    for (int i = 0; i < 3; i++) {
        struct timespec now;
        if (clock_gettime(clocks[i], &now) != 0) continue;
        long long distance = llabs(instant - nanoseconds(&now));
        if (least < 0 || distance < least) {
            least = distance;
            best = clocks[i];
        }
    }
    return best;
}

int timerfd_settime(int file, int flags, const struct itimerspec *given, struct itimerspec *old) {
    struct itimerspec real = *given;
    long long value = nanoseconds(&given->it_value);
    if (real_settime == NULL) prepare();
    if (value > 0) {
        long long from = flags & TFD_TIMER_ABSTIME ? begin[nearest(value)] : 0;
        if (value > from) real.it_value = timespec_of(from + (value - from) / rate + 1);
    }
    real.it_interval = timespec_of(nanoseconds(&given->it_interval) / rate);
    return real_settime(file, flags, &real, old);
}
