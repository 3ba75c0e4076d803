// What the simulation puts in the place of the C library's functions: clocks, random numbers, dispatch queues, threads
// and files. A definition in the program comes before that of a shared library, so the product and SQLite call these.

#ifndef WORLD_H
#define WORLD_H

#include <stdbool.h>
#include <stdint.h>

// MARK: Clocks (clock_gettime(2))

/// Makes the clocks of this process stand at these instants, in nanoseconds, until they are set again.
void world_set_clocks(int64_t wall, int64_t monotonic);

/// The true monotonic clock, in nanoseconds.
int64_t world_true_time(void);

// MARK: Random numbers (getrandom(2))

/// Every random number of this process follows from the seed, the hash seeds of Swift included.
void world_seed(uint64_t seed);

/// Starts the program again if its dictionaries would have an order of their own: without this variable of Swift's
/// runtime it also follows from addresses in memory.
void world_fix_hashing(char *_Nullable *_Nonnull arguments);

/// How often random numbers were asked for.
uint64_t world_random_calls(void);

// MARK: Queues (libdispatch)

/// From now on `take` gets each block that is given to a queue, and the queue does not.
void world_take_blocks(void (*_Nullable take)(void *_Nonnull queue, void *_Nonnull block));

/// Runs a block once, and releases it.
void world_run_block(void *_Nonnull block);

// MARK: Threads (pthread_create(3))

/// How many threads this process has started.
int world_threads_started(void);

// MARK: A limit for each step

/// Ends the process if one step takes longer than so many true seconds: it waits for a lock that nobody will release.
/// The step and its stack are printed first.
void world_watch(int seconds, uint64_t seed);

/// Says which step runs.
void world_step_begins(uint64_t number);

// MARK: The disk

/// What a flush was asked for.
enum world_kind {
    WORLD_FOLDER = 1 << 0,
    WORLD_DATABASE = 1 << 1,
    WORLD_FILE = 1 << 2,
};

/// What is left of unflushed changes when the power goes.
enum world_loss {
    /// Everything: the process is killed, and the kernel lives on.
    WORLD_KILL,
    /// Nothing.
    WORLD_NOTHING_STAYS,
    /// Names up to an instant, as of a journal that is committed in order by every flush; pages by chance.
    WORLD_JOURNAL,
    /// Names by chance, unless their folder was flushed; pages by chance.
    WORLD_STRICT,
    /// As strict, and of each page the sectors of 512 bytes by chance.
    WORLD_TORN,
};

/// Begins to watch the files below a folder, all of which count as flushed. What was watched before is forgotten.
void world_disk_begin(const char *_Nonnull folder);

/// Flushes of these kinds do nothing from now on, and say that they did.
void world_disk_lie(unsigned kinds);

/// The number of calls that changed a file or a name.
uint64_t world_disk_calls(void);

/// Calls `reached` before the call that is so many calls ahead, with its name; 0 for never.
void world_disk_stop_at(uint64_t call, void (*_Nullable reached)(const char *_Nonnull call));

/// Lets so many calls fail with an error, from the one on that is `call` calls ahead; 0 for none.
void world_disk_fail_at(uint64_t call, uint64_t count, int code);

/// Copies the folder as it is after a kill or a loss of power.
///
/// `choose` answers a number below its argument; 0 keeps what was written.
void world_disk_copy(const char *_Nonnull to, enum world_loss loss, uint64_t (*_Nonnull choose)(uint64_t below));

/// Removes a folder with everything in it, without a trace.
void world_remove_folder(const char *_Nonnull path);

#endif
