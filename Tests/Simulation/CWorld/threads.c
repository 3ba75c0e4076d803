#include "real.h"
#include "world.h"
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static int started;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    started++;
    return REAL(pthread_create)(thread, attributes, start, argument);
}

int world_threads_started(void) { return started; }

static volatile uint64_t step, last_step;
static volatile int seconds_in_step;
static int limit;
static uint64_t seed;

void world_step_begins(uint64_t number) { step = number; }

static void tick(int number) {
    (void)number;
    if (step != last_step) {
        last_step = step;
        seconds_in_step = 0;
        return;
    }
    if (++seconds_in_step < limit) return;
    char text[160];
    int length = snprintf(text, sizeof text, "seed %llu: step %llu has not ended after %d s\n",
                          (unsigned long long)seed, (unsigned long long)step, limit);
    if (write(STDOUT_FILENO, text, (size_t)length) < 0) _exit(4);
    void *frames[64];
    backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
    _exit(3);
}

void world_watch(int seconds, uint64_t new_seed) {
    seed = new_seed;
    if (limit != 0) return;
    limit = seconds;
    struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    struct itimerval interval = {.it_interval = {.tv_sec = 1}, .it_value = {.tv_sec = 1}};
    setitimer(ITIMER_REAL, &interval, NULL);
}
