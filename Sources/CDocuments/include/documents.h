#pragma once

#include <stddef.h>

/// The bytes of openapi.yaml at the top of the project, as they were when the program was built.
extern const unsigned char *const cormorant_openapi;
extern const size_t cormorant_openapi_length;
