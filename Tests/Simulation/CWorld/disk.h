// What the parts of the disk know of each other.

#ifndef DISK_H
#define DISK_H

#include "world.h"
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

enum { PAGE = 4096, SECTOR = 512, PAGE_BUCKETS = 256 };

/// The content of a page when its file was flushed last.
struct page {
    struct page *next, *next_in_bucket;
    int64_t number;
    unsigned char before[PAGE];
};

/// A file, or a folder, that was opened or named below the watched folder.
struct inode {
    struct inode *next;
    ino_t number;
    /// What a file is read by, whatever its names are. While it is open, nothing else gets the number.
    int descriptor;
    unsigned kind;
    /// The size when it was flushed last.
    int64_t durable_size;
    /// The pages that were changed since.
    struct page *pages;
    /// The same pages by their numbers: a large file has thousands of them between two flushes.
    struct page *buckets[PAGE_BUCKETS];
};

/// The inode with a number; NULL if none was opened.
struct inode *inode_of(ino_t number);

/// The inode behind a descriptor; NULL if it is not below the watched folder.
struct inode *inode_behind(int descriptor);

/// Notes a descriptor that was opened. `is_new` says whether the call has made the file.
struct inode *inode_opened(int descriptor, bool is_new);

/// Notes what a path leads to, so that it is known once the path leads there no more.
void inode_found(const char *path, const struct stat *status);

void inode_closed(int descriptor);

/// Keeps the flushed content of the pages that a change of these bytes touches.
void inode_changes(struct inode *inode, int64_t offset, int64_t length);

/// Makes the present content durable.
void inode_flushed(struct inode *inode);

void inodes_forget(void);

/// Whether flushes of it do nothing, and say that they did.
bool disk_lies(const struct inode *inode);

/// Makes a file, or the names in a folder, durable, unless that is a lie. Is -1 if the call is to fail.
int disk_flush(struct inode *inode);

/// A name of a folder that was made, removed or given to another inode. Zero stands for no inode.
struct change {
    ino_t folder, before, after;
    /// Whether the folder was not flushed since.
    bool is_strictly_open;
    /// Whether nothing was flushed since.
    bool is_open;
    char name[256];
};

extern struct change *changes;
extern size_t change_count;

void name_changed(ino_t folder, const char *name, ino_t before, ino_t after);

/// A folder or a file was flushed.
void names_flushed(const struct inode *inode);

void names_forget(void);

/// The path of the watched folder; empty for none.
extern char disk_folder[512];

/// A file with random numbers of the world, in place of /dev/urandom.
int random_file(void);

#endif
