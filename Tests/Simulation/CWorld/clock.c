#include "real.h"
#include "world.h"
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// Only for the thread of the world: those of libdispatch have timers that follow the true clocks.
static _Thread_local bool is_set;
static int64_t wall, monotonic;

void world_set_clocks(int64_t new_wall, int64_t new_monotonic) {
    is_set = true;
    wall = new_wall;
    monotonic = new_monotonic;
}

static struct timespec parts(int64_t nanoseconds) {
    return (struct timespec){.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    bool is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
    bool is_monotonic = clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_MONOTONIC_COARSE ||
                        clock == CLOCK_BOOTTIME;
    if (!is_set || !(is_wall || is_monotonic)) return REAL(clock_gettime)(clock, time);
    *time = parts(is_wall ? wall : monotonic);
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *time = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *to) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (to != NULL) *to = now.tv_sec;
    return now.tv_sec;
}

int64_t world_true_time(void) {
    struct timespec now;
    REAL(clock_gettime)(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
