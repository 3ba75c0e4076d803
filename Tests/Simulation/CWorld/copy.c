// The folder as it is after a kill or a loss of power.

#include "real.h"
#include "disk.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct copy {
    enum world_loss loss;
    uint64_t (*choose)(uint64_t below);
    /// What each name that is not durable stands for.
    struct change *names;
    size_t name_count;
    /// Where the files of several names are.
    struct placed {
        ino_t number;
        char path[1024];
    } *placed;
    size_t placed_count;
};

// MARK: Names

static struct change *name_in(struct copy *copy, ino_t folder, const char *name) {
    for (size_t i = 0; i < copy->name_count; i++)
        if (copy->names[i].folder == folder && strcmp(copy->names[i].name, name) == 0) return &copy->names[i];
    return NULL;
}

/// Which of the changes that no flush has made durable are on the disk.
static void choose_names(struct copy *copy) {
    copy->names = calloc(change_count + 1, sizeof *copy->names);
    if (copy->loss == WORLD_KILL) return;
    bool is_journal = copy->loss == WORLD_JOURNAL;
    // A journal ends at an instant.
    uint64_t lost_from = 0, open = 0;
    for (size_t i = 0; i < change_count; i++) open += changes[i].is_open;
    if (is_journal) lost_from = open - copy->choose(open + 1);
    open = 0;
    for (size_t i = 0; i < change_count; i++) {
        struct change *change = &changes[i], *name = name_in(copy, change->folder, change->name);
        bool is_kept;
        if (is_journal)
            is_kept = !change->is_open || open++ < lost_from;
        else
            is_kept = copy->loss != WORLD_NOTHING_STAYS && copy->choose(2) == 0;
        if (name == NULL) {
            name = &copy->names[copy->name_count++];
            *name = *change;
            name->after = change->before;
        }
        if (is_kept) name->after = change->after;
    }
}

// MARK: Content

/// Writes what is left of a page.
static void write_page(struct copy *copy, const struct page *page, unsigned char *bytes) {
    if (copy->loss == WORLD_NOTHING_STAYS) {
        memcpy(bytes, page->before, PAGE);
    } else if (copy->loss == WORLD_TORN) {
        for (size_t sector = 0; sector < PAGE; sector += SECTOR)
            if (copy->choose(2) == 1) memcpy(bytes + sector, page->before + sector, SECTOR);
    } else if (copy->choose(2) == 1) {
        memcpy(bytes, page->before, PAGE);
    }
}

static void write_content(struct copy *copy, int from, const struct inode *inode, int to, int64_t size) {
    static unsigned char buffer[1 << 20];
    for (int64_t offset = 0; offset < size;) {
        ssize_t count = REAL(pread)(from, buffer, sizeof buffer, offset);
        if (count <= 0) break;
        if (REAL(pwrite)(to, buffer, (size_t)count, offset) != count) abort();
        offset += count;
    }
    if (inode == NULL || copy->loss == WORLD_KILL) return;
    int64_t left = inode->durable_size == size ? size : copy->choose(2) == 0 ? size : inode->durable_size;
    if (copy->loss == WORLD_NOTHING_STAYS) left = inode->durable_size;
    for (struct page *page = inode->pages; page != NULL; page = page->next) {
        memset(buffer, 0, PAGE);
        if (REAL(pread)(from, buffer, PAGE, page->number * PAGE) < 0) abort();
        write_page(copy, page, buffer);
        if (REAL(pwrite)(to, buffer, PAGE, page->number * PAGE) != PAGE) abort();
    }
    if (REAL(ftruncate)(to, left) != 0) abort();
}

static void copy_file(struct copy *copy, ino_t number, const char *from, const char *to) {
    struct stat status;
    struct inode *inode = inode_of(number);
    int source = inode == NULL ? REAL(open)(from, O_RDONLY | O_CLOEXEC) : inode->descriptor;
    if (source < 0 || fstat(source, &status) != 0) abort();
    for (size_t i = 0; i < copy->placed_count; i++) {
        if (copy->placed[i].number != number) continue;
        if (REAL(linkat)(AT_FDCWD, copy->placed[i].path, AT_FDCWD, to, 0) != 0) abort();
        return;
    }
    int target = REAL(open)(to, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, status.st_mode & 07777);
    if (target < 0) abort();
    write_content(copy, source, inode, target, status.st_size);
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, status.st_mtim};
    if (fchmod(target, status.st_mode & 07777) != 0 || futimens(target, times) != 0) abort();
    REAL(close)(target);
    if (inode == NULL) REAL(close)(source);
    copy->placed = realloc(copy->placed, (copy->placed_count + 1) * sizeof *copy->placed);
    if (copy->placed == NULL) abort();
    copy->placed[copy->placed_count].number = number;
    snprintf(copy->placed[copy->placed_count++].path, sizeof copy->placed->path, "%s", to);
}

// MARK: Folders

static bool is_shared_memory(const char *name) {
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, "-shm") == 0;
}

static void copy_folder(struct copy *copy, const char *from, const char *to) {
    struct stat status;
    DIR *folder = opendir(from);
    if (folder == NULL || fstat(dirfd(folder), &status) != 0) abort();
    if (REAL(mkdir)(to, status.st_mode & 07777) != 0 && errno != EEXIST) abort();
    ino_t number = status.st_ino;
    char source[1024], target[1024];
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (is_shared_memory(entry->d_name) || name_in(copy, number, entry->d_name) != NULL) continue;
        snprintf(source, sizeof source, "%s/%s", from, entry->d_name);
        snprintf(target, sizeof target, "%s/%s", to, entry->d_name);
        if (entry->d_type == DT_DIR)
            copy_folder(copy, source, target);
        else
            copy_file(copy, entry->d_ino, source, target);
    }
    closedir(folder);
    for (size_t i = 0; i < copy->name_count; i++) {
        struct change *name = &copy->names[i];
        if (name->folder != number || name->after == 0 || is_shared_memory(name->name)) continue;
        snprintf(source, sizeof source, "%s/%s", from, name->name);
        snprintf(target, sizeof target, "%s/%s", to, name->name);
        struct inode *inode = inode_of(name->after);
        // A folder that was removed was empty.
        bool is_folder = inode == NULL ? stat(source, &status) != 0 || S_ISDIR(status.st_mode)
                                       : inode->kind == WORLD_FOLDER;
        if (!is_folder)
            copy_file(copy, name->after, source, target);
        else if (access(source, F_OK) == 0)
            copy_folder(copy, source, target);
        else if (REAL(mkdir)(target, 0700) != 0)
            abort();
    }
}

void world_disk_copy(const char *to, enum world_loss loss, uint64_t (*choose)(uint64_t below)) {
    struct copy copy = {.loss = loss, .choose = choose};
    choose_names(&copy);
    copy_folder(&copy, disk_folder, to);
    free(copy.names);
    free(copy.placed);
}

void world_remove_folder(const char *path) {
    char inner[1024];
    DIR *folder = opendir(path);
    if (folder == NULL) return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (entry->d_type == DT_DIR)
            world_remove_folder(inner);
        else
            REAL(unlink)(inner);
    }
    closedir(folder);
    rmdir(path);
}
