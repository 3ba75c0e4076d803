#include "documents.h"

// Bytes as an array literal of Swift take the compiler seconds; C23's #embed (N3017) takes none.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char yaml[] = {
#embed "../../openapi.yaml"
};

static const unsigned char json[] = {
#embed "../../openapi.json"
};

static const unsigned char notices[] = {
#embed "../../THIRD-PARTY-NOTICES.txt"
};

const unsigned char *const cormorant_openapi_yaml = yaml;
const size_t cormorant_openapi_yaml_length = sizeof yaml;
const unsigned char *const cormorant_openapi_json = json;
const size_t cormorant_openapi_json_length = sizeof json;
const unsigned char *const cormorant_notices = notices;
const size_t cormorant_notices_length = sizeof notices;
