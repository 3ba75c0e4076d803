#include "fuzzer.h"

// Weak: it is missing in an ordinary build.
__attribute__((weak)) int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*run)(const uint8_t *, size_t));

bool fuzzer_is_linked(void) { return LLVMFuzzerRunDriver != NULL; }

int fuzzer_run(int count, char **arguments, int (*run)(const uint8_t *, size_t)) {
    return LLVMFuzzerRunDriver(&count, &arguments, run);
}
