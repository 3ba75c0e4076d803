// The way into libFuzzer (https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library).

#ifndef FUZZER_H
#define FUZZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether the program is linked with libFuzzer: scripts/fuzz does that, an ordinary build does not.
bool fuzzer_is_linked(void);

/// Runs libFuzzer with the arguments of the command line, the name of the program first. It calls `run` with each
/// input, and returns at the end of the last one.
int fuzzer_run(int count, char *_Nullable *_Nonnull arguments, int (*_Nonnull run)(const uint8_t *_Nullable, size_t));

#endif
