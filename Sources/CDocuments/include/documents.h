#pragma once

#include <stddef.h>

/// The bytes of openapi.yaml at the top of the project, as they were when the program was built.
extern const unsigned char *const cormorant_openapi_yaml;
extern const size_t cormorant_openapi_yaml_length;

/// The bytes of openapi.json beside it, which scripts/openapi-json makes.
extern const unsigned char *const cormorant_openapi_json;
extern const size_t cormorant_openapi_json_length;

/// The bytes of THIRD-PARTY-NOTICES.txt beside them, which scripts/notices makes.
extern const unsigned char *const cormorant_notices;
extern const size_t cormorant_notices_length;

/// A file of the page, as it was when the program was built.
struct cormorant_page_file {
    const char *name;
    const unsigned char *bytes;
    size_t length;
};

extern const struct cormorant_page_file *const cormorant_page_files;
extern const size_t cormorant_page_file_count;
