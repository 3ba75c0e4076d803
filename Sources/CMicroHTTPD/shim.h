#ifndef CMICROHTTPD_SHIM_H
#define CMICROHTTPD_SHIM_H

#include <microhttpd.h>

/// What MHD_start_daemon() takes as variadic options, which Swift cannot pass.
struct shim_daemon_options {
    MHD_socket listen_socket;
    unsigned int threads;
    unsigned int idle_timeout_seconds;
    unsigned int max_connections;
    size_t connection_memory_bytes;
    /// Whether the library has MHD_OPTION_CLIENT_DISCIPLINE_LVL.
    int has_discipline_level;
    /// Called with the raw request target: MHD_OPTION_URI_LOG_CALLBACK.
    void *_Nullable (*_Nonnull on_target)(void *_Nullable, const char *_Nullable, struct MHD_Connection *_Nullable);
    /// Called with each part of the target that the library would decode in place: MHD_OPTION_UNESCAPE_CALLBACK.
    size_t (*_Nonnull on_decode)(void *_Nullable, struct MHD_Connection *_Nullable, char *_Nullable);
    MHD_AccessHandlerCallback _Nonnull on_access;
    MHD_RequestCompletedCallback _Nonnull on_completed;
    MHD_NotifyConnectionCallback _Nonnull on_connection;
    void *_Nullable context;
};

/// MHD_OPTION_CLIENT_DISCIPLINE_LVL. The header of 0.9.75 lacks it, but a program that was built with that header also
/// runs with a library that has the option.
static const enum MHD_OPTION shim_option_discipline_level = (enum MHD_OPTION) 38;

/// Starts a daemon on its own epoll threads, with suspend and resume allowed. Returns NULL when it cannot start.
///
/// Level 1 is the strictest one within the RFCs: the library refuses what it would otherwise join, cut off or replace
/// without reporting it. Level 2 also refuses an empty line before a request.
///
/// Without levels, MHD_OPTION_STRICT_FOR_CLIENT stays off: all that it adds in 0.9.75 is a refusal of requests without
/// Host, with the head of that answer sent twice. The validation of the head refuses them once.
static inline struct MHD_Daemon *_Nullable shim_start_daemon(const struct shim_daemon_options *_Nonnull options) {
    struct MHD_OptionItem strictness[] = {
        {options->has_discipline_level ? shim_option_discipline_level : MHD_OPTION_STRICT_FOR_CLIENT,
         options->has_discipline_level ? 1 : 0, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    return MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, options->on_access, options->context,
        MHD_OPTION_LISTEN_SOCKET, options->listen_socket,
        MHD_OPTION_THREAD_POOL_SIZE, options->threads,
        MHD_OPTION_CONNECTION_TIMEOUT, options->idle_timeout_seconds,
        MHD_OPTION_CONNECTION_LIMIT, options->max_connections,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, options->connection_memory_bytes,
        MHD_OPTION_ARRAY, strictness,
        MHD_OPTION_URI_LOG_CALLBACK, options->on_target, options->context,
        MHD_OPTION_UNESCAPE_CALLBACK, options->on_decode, options->context,
        MHD_OPTION_NOTIFY_COMPLETED, options->on_completed, options->context,
        MHD_OPTION_NOTIFY_CONNECTION, options->on_connection, options->context,
        MHD_OPTION_END);
}

/// The object that the connection notice stored for this connection. MHD_get_connection_info() is variadic.
static inline void *_Nullable shim_socket_context(struct MHD_Connection *_Nonnull connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

/// How many bytes the head has, from the method to the end of the empty line; 0 before it is complete.
static inline size_t shim_head_size(struct MHD_Connection *_Nonnull connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info == NULL ? 0 : info->header_size;
}

/// The connection's descriptor, or -1.
static inline MHD_socket shim_descriptor(struct MHD_Connection *_Nonnull connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

/// The peer's address, or NULL.
static inline const struct sockaddr *_Nullable shim_peer_address(struct MHD_Connection *_Nonnull connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info == NULL ? NULL : info->client_addr;
}

#endif
