#include "real.h"
#include "world.h"
#include <stddef.h>

extern void *_Block_copy(const void *);
extern void _Block_release(const void *);
extern void dispatch_async(void *queue, void *block);
extern void dispatch_retain(void *queue);

/// The first members of a block, by its ABI.
struct block {
    void *isa;
    int flags, reserved;
    void (*invoke)(void *);
};

static void (*take)(void *queue, void *block);

void world_take_blocks(void (*new_take)(void *queue, void *block)) { take = new_take; }

void world_run_block(void *block) {
    ((struct block *)block)->invoke(block);
    _Block_release(block);
}

void dispatch_async(void *queue, void *block) {
    if (take == NULL) {
        REAL(dispatch_async)(queue, block);
        return;
    }
    // A queue that nobody else keeps would give its address to the next one. It is kept for ever: libdispatch frees
    // queues on a thread of its own, which would take more time than the life.
    dispatch_retain(queue);
    take(queue, _Block_copy(block));
}
