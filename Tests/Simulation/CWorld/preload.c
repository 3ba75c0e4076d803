// The disk of the simulation under a program of several threads. `scripts/power-cuts` compiles this file, with
// WORLD_THREADS, and those of the disk into one library, and loads it before the C library (LD_PRELOAD, ld.so(8)).
//
//   WORLD_FOLDER  the folder to watch; everything in it counts as flushed
//   WORLD_LIES    the kinds of flushes that do nothing: some of the words "files", "folders" and "database"
//   WORLD_LOSS    what a loss of power leaves: "journal", "strict", "nothing" or "torn"
//   WORLD_SEED    what the choices of the loss follow from
//   WORLD_COPY    where the folder is copied to as it is after the loss
//   WORLD_PIPE    the descriptor of a pipe: with its first byte the power goes
//
// Without WORLD_LOSS nothing is copied, and flushes that do not lie reach the file system below.

#include "real.h"
#include "disk.h"
#include "guard.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

/// How the process ends after a cut, and if none of its calls came here.
enum { IS_CUT = 90, IS_NOT_WATCHED = 91 };

/// How many milliseconds the cut waits for a first call.
enum { PATIENCE = 10000 };

/// What a flush takes before and after the instant at which it is done. The longer, the more cuts hit it.
enum { HALF_A_FLUSH = 2000 };

pthread_mutex_t disk_lock = PTHREAD_MUTEX_INITIALIZER;
static const char *loss;

// MARK: Flushes

static int flush(int file, int (*true_flush)(int)) {
    struct inode *inode = inode_behind(file);
    if (inode == NULL || loss == NULL) return inode != NULL && disk_lies(inode) ? 0 : true_flush(file);
    usleep(HALF_A_FLUSH);
    int result = disk_flush(inode);
    usleep(HALF_A_FLUSH);
    return result;
}

int fsync(int file) { return flush(file, REAL(fsync)); }

int fdatasync(int file) { return flush(file, REAL(fdatasync)); }

// MARK: Calls that change content, and that the model does not know. The program is to make none of them.

/// Ends the process at such a call on a watched file; a socket or a pipe may have it.
#define UNKNOWN(file, CALL)                                                              \
    if (inode_behind(file) != NULL) {                                                    \
        fprintf(stderr, "the model of the disk does not know %s\n", __func__);           \
        abort();                                                                         \
    }                                                                                    \
    return CALL;

ssize_t writev(int file, const struct iovec *parts, int count) { UNKNOWN(file, REAL(writev)(file, parts, count)) }

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
    UNKNOWN(file, REAL(pwritev)(file, parts, count, offset))
}

ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t offset) {
    UNKNOWN(file, REAL(pwritev64)(file, parts, count, offset))
}

ssize_t sendfile(int to, int from, off_t *offset, size_t count) { UNKNOWN(to, REAL(sendfile)(to, from, offset, count)) }

ssize_t sendfile64(int to, int from, off64_t *offset, size_t count) {
    UNKNOWN(to, REAL(sendfile64)(to, from, offset, count))
}

ssize_t copy_file_range(int from, off64_t *offset, int to, off64_t *to_offset, size_t count, unsigned flags) {
    UNKNOWN(to, REAL(copy_file_range)(from, offset, to, to_offset, count, flags))
}

int dup(int file) { UNKNOWN(file, REAL(dup)(file)) }

// MARK: The cut

static unsigned short seed[3];

static uint64_t choose(uint64_t below) { return (uint64_t)nrand48(seed) % below; }

static enum world_loss kind_of_loss(void) {
    if (strcmp(loss, "journal") == 0) return WORLD_JOURNAL;
    if (strcmp(loss, "strict") == 0) return WORLD_STRICT;
    if (strcmp(loss, "nothing") == 0) return WORLD_NOTHING_STAYS;
    if (strcmp(loss, "torn") == 0) return WORLD_TORN;
    abort();
}

static int power;
static const char *target;

static void *wait_for_cut(void *unused) {
    char byte;
    ssize_t count;
    (void)unused;
    while ((count = read(power, &byte, 1)) < 0 && errno == EINTR) continue;
    if (count <= 0) return NULL;
    // The program may just have begun.
    for (int i = 0; world_disk_calls() == 0 && i < PATIENCE; i++) usleep(1000);
    // From here on no call on a file ends. What was flushed before may still be told to clients.
    pthread_mutex_lock(&disk_lock);
    if (world_disk_calls() == 0) _exit(IS_NOT_WATCHED);
    world_disk_copy(target, kind_of_loss(), choose);
    _exit(IS_CUT);
}

// MARK: The start, and children

static void lock(void) { pthread_mutex_lock(&disk_lock); }

static void unlock(void) { pthread_mutex_unlock(&disk_lock); }

/// A child has a disk without a model.
static void forget(void) {
    world_disk_begin("");
    unlock();
}

static const char *setting(const char *name) {
    const char *value = getenv(name);
    if (value == NULL) abort();
    return value;
}

static unsigned kinds(const char *words) {
    return (strstr(words, "files") != NULL ? WORLD_FILE : 0) | (strstr(words, "folders") != NULL ? WORLD_FOLDER : 0) |
           (strstr(words, "database") != NULL ? WORLD_DATABASE : 0);
}

/// The threads of the program get its signals, and this one none.
static void start_thread(void) {
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, wait_for_cut, NULL) != 0) abort();
    pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

__attribute__((constructor)) static void begin(void) {
    world_disk_begin(setting("WORLD_FOLDER"));
    world_disk_lie(kinds(setting("WORLD_LIES")));
    loss = getenv("WORLD_LOSS");
    // A program that this one executes is none of the model's.
    unsetenv("LD_PRELOAD");
    pthread_atfork(lock, unlock, forget);
    if (loss == NULL) return;
    unsigned long number = strtoul(setting("WORLD_SEED"), NULL, 10);
    for (int i = 0; i < 3; i++) seed[i] = (unsigned short)(number >> (16 * i));
    target = setting("WORLD_COPY");
    power = atoi(setting("WORLD_PIPE"));
    if (fcntl(power, F_SETFD, FD_CLOEXEC) != 0) abort();
    start_thread();
}
