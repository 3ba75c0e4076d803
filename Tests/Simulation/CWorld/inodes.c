#include "real.h"
#include "disk.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUCKETS = 1024, DESCRIPTORS = 1 << 19 };

static struct inode *buckets[BUCKETS];
static struct inode *open_inodes[DESCRIPTORS];
static int last_descriptor;

struct inode *inode_of(ino_t number) {
    for (struct inode *each = buckets[number % BUCKETS]; each != NULL; each = each->next)
        if (each->number == number) return each;
    return NULL;
}

struct inode *inode_behind(int descriptor) {
    return descriptor < 0 || descriptor >= DESCRIPTORS ? NULL : open_inodes[descriptor];
}

static unsigned kind_of(const char *path, bool is_folder) {
    if (is_folder) return WORLD_FOLDER;
    return strstr(path, ".db") == NULL ? WORLD_FILE : WORLD_DATABASE;
}

/// Whether a path is that of the watched folder or below it.
static bool is_watched(const char *path) {
    size_t length = strlen(disk_folder);
    return strncmp(path, disk_folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/// Notes an inode, if it is a file or a folder. `way` is another path to it; it follows no name that may change.
static struct inode *note(const char *path, const char *way, const struct stat *status, int64_t durable_size) {
    bool is_folder = S_ISDIR(status->st_mode);
    if (!is_watched(path) || !(is_folder || S_ISREG(status->st_mode))) return NULL;
    struct inode *inode = inode_of(status->st_ino);
    if (inode != NULL) return inode;
    inode = calloc(1, sizeof *inode);
    if (inode == NULL) abort();
    inode->number = status->st_ino;
    inode->descriptor = REAL(open)(way, O_RDONLY | O_CLOEXEC);
    if (inode->descriptor < 0) abort();
    inode->kind = kind_of(path, is_folder);
    inode->durable_size = durable_size;
    inode->next = buckets[status->st_ino % BUCKETS];
    buckets[status->st_ino % BUCKETS] = inode;
    return inode;
}

void inode_found(const char *path, const struct stat *status) { note(path, path, status, status->st_size); }

struct inode *inode_opened(int descriptor, bool is_new) {
    char link[64], path[1024];
    struct stat status;
    if (descriptor < 0 || descriptor >= DESCRIPTORS || disk_folder[0] == 0) return NULL;
    open_inodes[descriptor] = NULL;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0 || fstat(descriptor, &status) != 0) return NULL;
    path[length] = 0;
    open_inodes[descriptor] = note(path, link, &status, is_new ? 0 : status.st_size);
    if (descriptor > last_descriptor) last_descriptor = descriptor;
    return open_inodes[descriptor];
}

void inode_closed(int descriptor) {
    if (descriptor >= 0 && descriptor < DESCRIPTORS) open_inodes[descriptor] = NULL;
}

static void keep(struct inode *inode, int64_t number) {
    struct page **bucket = &inode->buckets[number % PAGE_BUCKETS];
    for (struct page *each = *bucket; each != NULL; each = each->next_in_bucket)
        if (each->number == number) return;
    struct page *page = calloc(1, sizeof *page);
    if (page == NULL) abort();
    page->number = number;
    // Beyond the end there are zeros.
    if (REAL(pread)(inode->descriptor, page->before, PAGE, number * PAGE) < 0) abort();
    page->next = inode->pages;
    inode->pages = page;
    page->next_in_bucket = *bucket;
    *bucket = page;
}

void inode_changes(struct inode *inode, int64_t offset, int64_t length) {
    if (inode->kind == WORLD_FOLDER || length <= 0) return;
    for (int64_t number = offset / PAGE; number <= (offset + length - 1) / PAGE; number++) keep(inode, number);
}

static void release_pages(struct inode *inode) {
    while (inode->pages != NULL) {
        struct page *page = inode->pages;
        inode->pages = page->next;
        free(page);
    }
    memset(inode->buckets, 0, sizeof inode->buckets);
}

void inode_flushed(struct inode *inode) {
    struct stat status;
    release_pages(inode);
    if (fstat(inode->descriptor, &status) == 0) inode->durable_size = status.st_size;
}

void inodes_forget(void) {
    for (size_t bucket = 0; bucket < BUCKETS; bucket++) {
        while (buckets[bucket] != NULL) {
            struct inode *inode = buckets[bucket];
            buckets[bucket] = inode->next;
            release_pages(inode);
            REAL(close)(inode->descriptor);
            free(inode);
        }
    }
    // What an ended life has left open belongs to nobody.
    memset(open_inodes, 0, (size_t)(last_descriptor + 1) * sizeof *open_inodes);
    last_descriptor = 0;
}
