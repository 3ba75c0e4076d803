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
    /// Called with the raw request target: MHD_OPTION_URI_LOG_CALLBACK.
    void *_Nullable (*_Nonnull on_target)(void *_Nullable, const char *_Nullable, struct MHD_Connection *_Nullable);
    MHD_AccessHandlerCallback _Nonnull on_access;
    MHD_RequestCompletedCallback _Nonnull on_completed;
    MHD_NotifyConnectionCallback _Nonnull on_connection;
    void *_Nullable context;
};

/// Starts a daemon on its own epoll threads, with suspend and resume allowed. Returns NULL when it cannot start.
///
/// MHD_OPTION_STRICT_FOR_CLIENT stays off: all that it adds is a refusal of requests without Host, and 0.9.75 sends the
/// head of that answer twice. The validation of the head refuses them once.
static inline struct MHD_Daemon *_Nullable shim_start_daemon(const struct shim_daemon_options *_Nonnull options) {
    return MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, options->on_access, options->context,
        MHD_OPTION_LISTEN_SOCKET, options->listen_socket,
        MHD_OPTION_THREAD_POOL_SIZE, options->threads,
        MHD_OPTION_CONNECTION_TIMEOUT, options->idle_timeout_seconds,
        MHD_OPTION_CONNECTION_LIMIT, options->max_connections,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, options->connection_memory_bytes,
        MHD_OPTION_STRICT_FOR_CLIENT, 0,
        MHD_OPTION_URI_LOG_CALLBACK, options->on_target, options->context,
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
