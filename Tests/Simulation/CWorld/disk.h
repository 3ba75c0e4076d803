// What the parts of the disk know of each other.

#ifndef DISK_H
#define DISK_H

#include "world.h"
#include <stddef.h>
#include <sys/types.h>

enum { PAGE = 4096, SECTOR = 512 };

/// The content of a page when its file was flushed last.
struct page {
    struct page *next;
    int64_t number;
    unsigned char before[PAGE];
};

/// A file, or a folder, that was opened below the watched folder.
struct inode {
    struct inode *next;
    ino_t number;
    /// What the file is read by, whatever its names are; -1 for a folder.
    int descriptor;
    unsigned kind;
    /// The size when it was flushed last.
    int64_t durable_size;
    /// The pages that were changed since.
    struct page *pages;
};

/// The inode with a number; NULL if none was opened.
struct inode *inode_of(ino_t number);

/// The inode behind a descriptor; NULL if it is not below the watched folder.
struct inode *inode_behind(int descriptor);

/// Notes a descriptor that was opened. `is_new` says whether the call has made the file.
struct inode *inode_opened(int descriptor, bool is_new);

void inode_closed(int descriptor);

/// Keeps the flushed content of the pages that a change of these bytes touches.
void inode_changes(struct inode *inode, int64_t offset, int64_t length);

/// Makes the present content durable.
void inode_flushed(struct inode *inode);

void inodes_forget(void);

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
