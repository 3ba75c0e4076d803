#include "documents.h"

// Bytes as an array literal of Swift take the compiler seconds; C23's #embed (N3017) takes none.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char openapi[] = {
#embed "../../openapi.yaml"
};

const unsigned char *const cormorant_openapi = openapi;
const size_t cormorant_openapi_length = sizeof openapi;
