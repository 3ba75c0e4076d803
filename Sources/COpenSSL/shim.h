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

// A client that offers nothing is not asked, and is spoken to in HTTP/1.1.
static inline int shim_choose(
    const unsigned char *_Nonnull known, unsigned int known_length, const unsigned char *_Nullable *_Nonnull chosen,
    unsigned char *_Nonnull length, const unsigned char *_Nullable offered, unsigned int offered_length) {
    unsigned char *found = NULL;
    int code = SSL_select_next_proto(&found, length, known, known_length, offered, offered_length);
    *chosen = found;
    return code == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

static inline int shim_choose_either(
    SSL *_Nullable session, const unsigned char *_Nullable *_Nonnull chosen, unsigned char *_Nonnull length,
    const unsigned char *_Nullable offered, unsigned int offered_length, void *_Nullable context) {
    return shim_choose((const unsigned char *)"\x02h2\x08http/1.1", 12, chosen, length, offered, offered_length);
}

static inline int shim_choose_http2(
    SSL *_Nullable session, const unsigned char *_Nullable *_Nonnull chosen, unsigned char *_Nonnull length,
    const unsigned char *_Nullable offered, unsigned int offered_length, void *_Nullable context) {
    return shim_choose((const unsigned char *)"\x02h2", 3, chosen, length, offered, offered_length);
}

static inline void shim_speak_either(SSL_CTX *_Nonnull context) {
    SSL_CTX_set_alpn_select_cb(context, shim_choose_either, NULL);
}

static inline void shim_speak_http2(SSL_CTX *_Nonnull context) {
    SSL_CTX_set_alpn_select_cb(context, shim_choose_http2, NULL);
}

static inline size_t shim_pending(BIO *_Nonnull bio) {
    return BIO_ctrl_pending(bio);
}

#endif
