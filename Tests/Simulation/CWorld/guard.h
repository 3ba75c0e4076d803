// With WORLD_THREADS, files are called by several threads. One lock makes a call and what is noted of it one step, so
// that the model and the file system agree. The simulation has one thread, and no lock.

#ifndef GUARD_H
#define GUARD_H

#ifdef WORLD_THREADS

#include <pthread.h>
#include <stdbool.h>

extern pthread_mutex_t disk_lock;

static inline bool disk_take(bool is_wanted) {
    if (is_wanted) pthread_mutex_lock(&disk_lock);
    return is_wanted;
}

static inline void disk_release(const bool *is_held) {
    if (*is_held) pthread_mutex_unlock(&disk_lock);
}

/// Holds the lock until the end of the block, a `return` and its value included.
#define ALONE_IF(is_wanted) __attribute__((cleanup(disk_release), unused)) bool is_held = disk_take(is_wanted);

#else

#define ALONE_IF(is_wanted)

#endif

#define ALONE ALONE_IF(true)

#endif
