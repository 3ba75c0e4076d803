#ifndef CLIBCURL_SHIM_H
#define CLIBCURL_SHIM_H

#include <curl/curl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// curl_easy_setopt(), curl_easy_getinfo() and curl_multi_setopt() are variadic, so Swift
// cannot call them. One wrapper per argument type follows; `Option.swift` pairs each option
// with its type, so that no caller chooses a wrapper by hand.

// Values of options whose type is `long`. libcurl declares them as enumerations or as macros, depending on its version,
// and Swift imports the two differently or not at all.
static const long shim_auth_basic = CURLAUTH_BASIC;
static const long shim_auth_digest = CURLAUTH_DIGEST;
static const long shim_http_version_1_1 = CURL_HTTP_VERSION_1_1;
static const long shim_http_version_2_tls = CURL_HTTP_VERSION_2TLS;
static const long shim_http_version_3 = CURL_HTTP_VERSION_3;
static const long shim_netrc_ignored = CURL_NETRC_IGNORED;
static const long shim_ssh_auth_password_and_keyboard = CURLSSH_AUTH_PASSWORD | CURLSSH_AUTH_KEYBOARD;
static const long shim_tls_version_1_2 = CURL_SSLVERSION_TLSv1_2;
static const long shim_use_tls_always = CURLUSESSL_ALL;
static const long shim_use_tls_never = CURLUSESSL_NONE;

static inline CURLcode shim_easy_setopt_long(CURL *_Nonnull handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode shim_easy_setopt_offset(CURL *_Nonnull handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode shim_easy_setopt_string(CURL *_Nonnull handle, CURLoption option, const char *_Nullable value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode shim_easy_setopt_pointer(CURL *_Nonnull handle, CURLoption option, void *_Nullable value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode shim_easy_setopt_list(CURL *_Nonnull handle, CURLoption option,
                                             struct curl_slist *_Nullable value) {
    return curl_easy_setopt(handle, option, value);
}

// CURLOPT_WRITEFUNCTION, CURLOPT_HEADERFUNCTION and CURLOPT_READFUNCTION share this signature.
static inline CURLcode shim_easy_setopt_write(CURL *_Nonnull handle, CURLoption option,
                                              size_t (*_Nullable callback)(char *_Nonnull, size_t, size_t,
                                                                           void *_Nonnull)) {
    return curl_easy_setopt(handle, option, callback);
}

static inline CURLcode shim_easy_setopt_seek(CURL *_Nonnull handle,
                                             int (*_Nullable callback)(void *_Nonnull, curl_off_t, int)) {
    return curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, callback);
}

static inline CURLcode shim_easy_setopt_open_socket(CURL *_Nonnull handle,
                                                    curl_socket_t (*_Nullable callback)(
                                                        void *_Nonnull, curlsocktype, struct curl_sockaddr *_Nonnull)) {
    return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, callback);
}

static inline CURLcode shim_easy_setopt_close_socket(CURL *_Nonnull handle,
                                                     int (*_Nullable callback)(void *_Nonnull, curl_socket_t)) {
    return curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, callback);
}

static inline CURLcode shim_easy_setopt_tls_context(CURL *_Nonnull handle,
                                                    CURLcode (*_Nullable callback)(CURL *_Nonnull, void *_Nullable,
                                                                                   void *_Nullable)) {
    return curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, callback);
}

static inline CURLcode shim_easy_setopt_ssh_key(CURL *_Nonnull handle,
                                                int (*_Nullable callback)(CURL *_Nullable,
                                                                          const struct curl_khkey *_Nullable,
                                                                          const struct curl_khkey *_Nullable,
                                                                          enum curl_khmatch, void *_Nullable)) {
    return curl_easy_setopt(handle, CURLOPT_SSH_KEYFUNCTION, callback);
}

// memfd_create(2) with MFD_CLOEXEC; glibc declares it only with _GNU_SOURCE. -1 without a descriptor.
static inline int shim_memory_file(const char *_Nonnull name) { return (int)syscall(SYS_memfd_create, name, 1U); }

static inline CURLcode shim_easy_setopt_before_request(CURL *_Nonnull handle,
                                                       int (*_Nullable callback)(void *_Nonnull, char *_Nonnull,
                                                                                 char *_Nonnull, int, int)) {
    return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, callback);
}

static inline CURLcode shim_easy_getinfo_long(CURL *_Nonnull handle, CURLINFO info, long *_Nonnull value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode shim_easy_getinfo_offset(CURL *_Nonnull handle, CURLINFO info, curl_off_t *_Nonnull value) {
    return curl_easy_getinfo(handle, info, value);
}

// The string belongs to the handle and lives until its next transfer.
static inline CURLcode shim_easy_getinfo_string(CURL *_Nonnull handle, CURLINFO info,
                                                const char *_Nullable *_Nonnull value) {
    return curl_easy_getinfo(handle, info, value);
}

// For CURLINFO_PRIVATE, which hands a pointer back.
static inline CURLcode shim_easy_getinfo_pointer(CURL *_Nonnull handle, CURLINFO info,
                                                 void *_Nullable *_Nonnull value) {
    return curl_easy_getinfo(handle, info, value);
}

// OpenSSL's `SSL *` of the connection that a transfer uses; null without TLS, and where libcurl has another library.
static inline void *_Nullable shim_openssl_session(CURL *_Nonnull handle) {
    struct curl_tlssessioninfo *info = NULL;
    if (curl_easy_getinfo(handle, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || info == NULL) return NULL;
    return info->backend == CURLSSLBACKEND_OPENSSL ? info->internals : NULL;
}

// Whether libcurl was built with OpenSSL, and not with a library that shares some of its names.
static inline _Bool shim_uses_openssl(void) {
    const char *_Nullable name = curl_version_info(CURLVERSION_ELEVENTH)->ssl_version;
    return name != NULL && strncmp(name, "OpenSSL/", 8) == 0;
}

static inline CURLMcode shim_multi_setopt_socket(CURLM *_Nonnull multi,
                                                 int (*_Nullable callback)(CURL *_Nullable, curl_socket_t, int,
                                                                           void *_Nonnull, void *_Nullable)) {
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback);
}

static inline CURLMcode shim_multi_setopt_timer(CURLM *_Nonnull multi,
                                                int (*_Nullable callback)(CURLM *_Nonnull, long, void *_Nonnull)) {
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callback);
}

static inline CURLMcode shim_multi_setopt_long(CURLM *_Nonnull multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode shim_multi_setopt_pointer(CURLM *_Nonnull multi, CURLMoption option, void *_Nullable value) {
    return curl_multi_setopt(multi, option, value);
}

// Options of a multi handle that libcurl has from version 8.20. An older version refuses them.
static const CURLMoption shim_multi_resolve_threads_max = (CURLMoption)20;
static const CURLMoption shim_multi_quick_exit = (CURLMoption)21;

#endif
