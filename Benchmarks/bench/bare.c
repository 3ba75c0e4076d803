/// A bare libmicrohttpd handler: what the library that the service uses can answer on this machine.
///
///     bare [port]
///
/// It listens on 127.0.0.1, prints the port, and ends with SIGTERM or SIGINT. Port 0, the default, is any free port. A
/// GET is answered with 200, a POST with 201 once its whole body was read, both with the same prepared body of 1.6 KB of
/// JSON. Nothing is parsed, looked up or stored.

#include <arpa/inet.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// As the service starts libmicrohttpd on two cores (Sources/CMicroHTTPD/shim.h, HTTPServer.Configuration).
#define THREADS 2
#define IDLE_SECONDS 30
#define MOST_CONNECTIONS 4096
#define CONNECTION_BYTES (32 << 10)

// A little less than the JSON of a paused download, which has 1.9 KB.
#define BODY_LENGTH 1600

static char body[BODY_LENGTH + 1];
static struct MHD_Response *response;

/// Members of JSON up to the length, with one long string at the end that makes it exact.
static void fill_body(void) {
    size_t length = 0;
    body[length++] = '{';
    for (int number = 0; length < BODY_LENGTH - 100; number++) {
        length += (size_t)snprintf(body + length, sizeof body - length, "\"member_%02d\":\"value\",", number);
    }
    length += (size_t)snprintf(body + length, sizeof body - length, "\"rest\":\"");
    memset(body + length, 'x', BODY_LENGTH - 2 - length);
    memcpy(body + BODY_LENGTH - 2, "\"}", 3);
}

/// Called for the head, for each piece of a body, and at the end of the request.
static enum MHD_Result on_access(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                                 const char *version, const char *upload, size_t *upload_size, void **request) {
    (void)context, (void)url, (void)version, (void)upload;
    if (*request == NULL) {
        // Anything that is not NULL: the head of this request was seen.
        *request = &response;
        return MHD_YES;
    }
    if (*upload_size > 0) {
        *upload_size = 0;
        return MHD_YES;
    }
    int is_post = strcmp(method, MHD_HTTP_METHOD_POST) == 0;
    return MHD_queue_response(connection, is_post ? MHD_HTTP_CREATED : MHD_HTTP_OK, response);
}

static struct MHD_Daemon *start(unsigned port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, on_access, NULL,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
        MHD_OPTION_THREAD_POOL_SIZE, (unsigned)THREADS,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)MOST_CONNECTIONS,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
        MHD_OPTION_END);
}

int main(int count, char **arguments) {
    // Blocked before the daemon starts its threads, which inherit that: the signals are for sigwait alone.
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    signal(SIGPIPE, SIG_IGN);

    fill_body();
    response = MHD_create_response_from_buffer(BODY_LENGTH, body, MHD_RESPMEM_PERSISTENT);
    if (response == NULL || MHD_add_response_header(response, "Content-Type", "application/json") == MHD_NO) return 1;
    struct MHD_Daemon *daemon = start(count > 1 ? (unsigned)strtoul(arguments[1], NULL, 10) : 0);
    if (daemon == NULL) {
        perror("bare: libmicrohttpd cannot start");
        return 1;
    }
    printf("%u\n", MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);

    int signal_number;
    sigwait(&ends, &signal_number);
    MHD_stop_daemon(daemon);
    MHD_destroy_response(response);
    return 0;
}
