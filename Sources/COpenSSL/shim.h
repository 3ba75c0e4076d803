#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// What OpenSSL has as macros or with a variable number of arguments, neither of which Swift can call.

static inline EVP_PKEY *_Nullable shim_generate_p256_key(void) {
    return EVP_EC_gen("P-256");
}

static inline void shim_set_protocol_versions(SSL_CTX *_Nonnull context, int lowest, int highest) {
    SSL_CTX_set_min_proto_version(context, lowest);
    SSL_CTX_set_max_proto_version(context, highest);
}

static inline size_t shim_pending(BIO *_Nonnull bio) {
    return BIO_ctrl_pending(bio);
}

#endif
