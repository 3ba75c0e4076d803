#include "disk.h"
#include <stdlib.h>
#include <string.h>

struct change *changes;
size_t change_count;
static size_t capacity;

void name_changed(ino_t folder, const char *name, ino_t before, ino_t after) {
    if (change_count == capacity) {
        capacity = capacity == 0 ? 64 : capacity * 2;
        changes = realloc(changes, capacity * sizeof *changes);
        if (changes == NULL) abort();
    }
    struct change *change = &changes[change_count++];
    *change = (struct change){
        .folder = folder, .before = before, .after = after, .is_strictly_open = true, .is_open = true};
    strncpy(change->name, name, sizeof change->name - 1);
}

void names_flushed(const struct inode *inode) {
    size_t kept = 0;
    for (size_t i = 0; i < change_count; i++) {
        struct change change = changes[i];
        change.is_open = false;
        if (inode->kind == WORLD_FOLDER && change.folder == inode->number) change.is_strictly_open = false;
        if (change.is_strictly_open) changes[kept++] = change;
    }
    change_count = kept;
}

void names_forget(void) { change_count = 0; }
