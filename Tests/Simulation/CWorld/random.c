#include "world.h"
#include <stddef.h>
#include <sys/types.h>

static uint64_t state, calls;

void world_seed(uint64_t seed) { state = seed; }

uint64_t world_random_calls(void) { return calls; }

// S. Vigna, splitmix64.c.
static uint64_t next(void) {
    state += 0x9E3779B97F4A7C15;
    uint64_t mixed = state;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return mixed ^ (mixed >> 31);
}

int getentropy(void *to, size_t count) {
    unsigned char *bytes = to;
    calls++;
    for (size_t i = 0; i < count; i++) bytes[i] = (unsigned char)next();
    return 0;
}

ssize_t getrandom(void *to, size_t count, unsigned flags) {
    (void)flags;
    getentropy(to, count);
    return (ssize_t)count;
}
