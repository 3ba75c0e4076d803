#define _GNU_SOURCE
#include "disk.h"
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

static uint64_t state, calls;

// SQLite keeps a generator of its own (https://www.sqlite.org/c3ref/randomness.html).
extern void sqlite3_randomness(int count, void *bytes) __attribute__((weak));

void world_seed(uint64_t seed) {
    state = seed;
    if (sqlite3_randomness != NULL) sqlite3_randomness(0, NULL);
}

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

int random_file(void) {
    unsigned char bytes[512];
    int file = memfd_create("random", MFD_CLOEXEC);
    getentropy(bytes, sizeof bytes);
    if (file < 0 || write(file, bytes, sizeof bytes) != sizeof bytes || lseek(file, 0, SEEK_SET) != 0) abort();
    return file;
}

void world_fix_hashing(char **arguments) {
    const char *name = "SWIFT_DETERMINISTIC_HASHING";
    if (getenv(name) != NULL) return;
    setenv(name, "1", 1);
    execv("/proc/self/exe", arguments);
    // Without the file system /proc there is no way to go on.
    abort();
}
