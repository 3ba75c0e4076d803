import Core
import HTTPFields
import Logging
import Service

extension Setting {
    /// A group of related settings, in the order of the help and of `docs/SETTINGS.md`.
    struct Group {
        let title: String
        let settings: [Setting]
    }

    static let groups = [
        Group(title: "API access", settings: access),
        Group(title: "Downloads", settings: downloads),
        Group(title: "Webhooks", settings: webhook),
        Group(title: "API limits", settings: server),
        Group(title: "Process", settings: process),
    ]

    /// Every setting. Flags, variables, file keys, help, checks and `docs/SETTINGS.md` are derived from this list.
    static let all: [Setting] = groups.flatMap(\.settings)

    private static let access = [
        Setting(
            "listen",
            \.listen,
            .listenAddresses,
            """
            The addresses and ports of the API. A port alone means loopback; [::]:8080 includes IPv4. An address that \
            the machine lacks is awaited.
            """
        ),
        Setting(
            "data_dir",
            \.dataDirectory,
            .path,
            "The folder of the database, the part files and the finished files. It is created if missing."
        ),
        Setting(
            secret: "token",
            \.token,
            expects: "a token of 16 characters or more, in visible ASCII",
            "The file with the token that clients send. Without one, a token is made unless listen is loopback.",
            check: { $0.utf8.count >= 16 && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
        ),
        Setting(
            "public_hosts",
            \.publicHosts,
            list: .host,
            "Host names of the API, without ports, besides localhost and the loopback addresses."
        ),
        Setting(
            "cors_origins",
            \.corsOrigins,
            list: .webOrigin,
            "Web origins whose pages may use the API; * is every origin."
        ),
        Setting("page", \.page, .flag, "Whether the page for browsers is served at /."),
    ]

    private static let downloads = [
        Setting("max_concurrent", \.maxConcurrent, .count(), "Downloads that run at once."),
        Setting(
            "max_per_host",
            \.maxPerHost,
            optional: .count(),
            absent: "auto",
            "Downloads of one host that run at once; auto: at most seven times the number of free slots."
        ),
        Setting(
            "connections_per_download",
            \.connectionsPerDownload,
            .count(upTo: 32),
            "Connections of a download without limits.connections; fewer are opened if more do not help."
        ),
        Setting(
            "max_connections_per_download",
            \.maxConnectionsPerDownload,
            .count(upTo: 32),
            "The highest limits.connections of a download; a higher one is refused with 422."
        ),
        Setting(
            "connections_per_host",
            \.connectionsPerHost,
            .count(),
            "Connections to one host, of all downloads together; fewer while the host refuses or fails."
        ),
        Setting(
            "min_speed",
            \.minSpeed,
            optional: .size,
            "Bytes per second. A download that is slower for min_speed_time ends its attempt and is retried later."
        ),
        Setting("min_speed_time", \.minSpeedTime, .duration, "How long a download may stay below min_speed."),
        Setting(
            "http3",
            \.http3,
            .flag,
            "Whether HTTP/3 is preferred for https. Other versions follow if libcurl, the host or the network lacks it."
        ),
        Setting(
            "connect_timeout",
            \.connectTimeout,
            .duration(from: .seconds(1), upTo: .seconds(600)),
            "Time limit for connecting to an origin: name, TCP, TLS, and the login of FTP and SFTP."
        ),
        Setting(
            "silence_timeout",
            \.silenceTimeout,
            .duration(from: .seconds(1), upTo: .seconds(86_400)),
            "How long a connection to an origin may stay silent before it is closed."
        ),
        Setting(
            "give_up_after",
            \.giveUpAfter,
            .duration(from: .seconds(1), upTo: .seconds(365 * 86_400)),
            "Time without a new byte after which a download fails instead of being retried."
        ),
        Setting(
            "retry_delay",
            \.retryDelay,
            .duration(from: .seconds(1), upTo: .seconds(86_400)),
            "After n attempts without a new byte, a retry waits a random time up to this, doubled n times."
        ),
        Setting(
            "max_retry_delay",
            \.maxRetryDelay,
            .duration(from: .seconds(1), upTo: .seconds(86_400)),
            "The longest delay before any retry; a longer retry_delay counts instead."
        ),
        Setting(
            "retry_statuses",
            \.retryStatuses,
            list: .errorStatus,
            "HTTP statuses that are retried until give_up_after; of the others, 5xx is retried twice."
        ),
        Setting(
            "not_found_retries",
            \.notFoundRetries,
            .count(from: 0),
            "Retries, 30 seconds apart, if an origin answers that it does not have the file."
        ),
        Setting("rate_limit", \.rateLimit, optional: .rate, "Bytes per second of all downloads together."),
        Setting(
            "rate_schedule",
            \.rateSchedule,
            optional: .rateSchedule,
            "Windows of the week, in local time, with another rate_limit. The first that contains the time applies."
        ),
        Setting(
            "rate_limit_per_host",
            \.rateLimitPerHost,
            optional: .rate,
            "Bytes per second of the downloads of one host together."
        ),
        Setting(
            "queue_limit",
            \.queueLimit,
            optional: .count(),
            "Queued downloads. At this number a new download is refused."
        ),
        Setting(
            "workers",
            \.loops,
            optional: .count(),
            absent: "auto",
            "Threads that run transfers; auto is one per core."
        ),
        Setting(
            "destinations",
            \.destinations,
            optional: .word(DestinationChoice.allCases),
            absent: "auto",
            "Addresses that downloads may connect to; auto is any while the API listens on loopback, else public."
        ),
        Setting(
            "allow_destinations",
            \.allowedDestinations,
            list: .addressBlock,
            "Address blocks that are allowed besides the public ones, and to which public origins may lead."
        ),
        Setting(
            secret: "proxy",
            \.proxy,
            expects: "a proxy: http, https, socks5 or socks5h://[user[:password]@]host:port",
            "The file with the URL of the proxy for downloads over http and https.",
            check: { ProxyServer($0) != nil }
        ),
        Setting(
            "no_proxy",
            \.noProxy,
            list: .proxyException,
            "Hosts that are reached without the proxy. A name includes all names below it; * is every host."
        ),
        Setting(
            "client_proxies",
            \.clientProxies,
            optional: .word(ProxyPermission.allCases),
            absent: "auto",
            "Whether a download may name a proxy; auto refuses it where destinations are limited."
        ),
        Setting(
            "max_download_bytes",
            \.maxDownloadBytes,
            optional: .size,
            "The largest file that a download may fetch."
        ),
        Setting("min_free_bytes", \.minFreeBytes, .size, "Disk space that downloads leave free."),
        Setting(
            "resume_free_bytes",
            \.resumeFreeBytes,
            optional: .size,
            absent: "auto",
            "Free disk space at which downloads waiting for space resume; auto is min_free_bytes plus 5 %."
        ),
        Setting(
            "downloads_dir",
            \.downloadsDirectory,
            optional: .path,
            absent: "auto",
            "The folder of finished files, on any file system; auto is <data_dir>/downloads."
        ),
        Setting(
            "roots",
            \.roots,
            list: .root,
            "Further folders for finished files. A download names one as its root."
        ),
        Setting("file_mode", \.fileMode, .permissions(0o600), "Permissions of finished files."),
        Setting(
            "directory_mode",
            \.directoryMode,
            .permissions(0o700),
            "Permissions of the folders that are made for finished files."
        ),
        Setting(
            "file_group",
            \.fileGroup,
            optional: .group,
            "Group of finished files and of the folders that are made for them; none is the process's own."
        ),
        Setting(
            "preserve_mtime",
            \.preservesModificationTime,
            .flag,
            "Whether a file gets the modification time that the origin states, for downloads without preserve_mtime."
        ),
        Setting(
            "keep_finished",
            \.keepFinished,
            optional: .duration,
            absent: "forever",
            "How long the record of an ended download is kept; 0: not at all. It stays as long as its finished file."
        ),
        Setting(
            "keep_files",
            \.keepFiles,
            optional: .duration,
            absent: "forever",
            "How long a finished file is kept, unless its download or session says otherwise; 0: it is removed at once."
        ),
        Setting("digest", \.digest, optional: .word([.sha256]), "The digest that is computed for every file."),
    ]

    private static let webhook = [
        Setting(
            "webhook_url",
            \.webhookURL,
            optional: .url,
            "The URL of a webhook that the service creates when it starts."
        ),
        Setting(
            secret: "webhook_secret",
            \.webhookSecret,
            expects: "a signing secret: whsec_ and the base64 of 24 to 64 bytes",
            "The file with the secret that signs deliveries to webhook_url and callback_url; made if not given.",
            check: { WebhookSecret($0) != nil }
        ),
        Setting(
            "webhook_retry_delays",
            \.webhookRetryDelays,
            list: .duration,
            "The delay after each failed delivery attempt. After the last one the delivery fails."
        ),
        Setting(
            "webhook_origin",
            \.webhookOrigin,
            optional: .host,
            "The service's name in requests for a webhook's consent, such as downloads.example.com."
        ),
        Setting(
            "allow_insecure_webhooks",
            \.allowsInsecureWebhooks,
            .flag,
            "Whether clients may create webhooks with http URLs."
        ),
        Setting(
            "allow_inline_callbacks",
            \.allowsInlineCallbacks,
            .flag,
            "Whether downloads and sessions may have a callback_url."
        ),
    ]

    private static let server = [
        Setting("header_deadline", \.headerDeadline, .duration, "Time limit for the head of a request."),
        Setting(
            "body_deadline",
            \.bodyDeadline,
            .duration,
            "Time limit for the body of a request, from the end of its head."
        ),
        Setting(
            "max_body_bytes",
            \.maxBodyBytes,
            .size,
            "The largest request body. The body of a batch may be four times as large."
        ),
        Setting(
            "max_buffered_body_bytes",
            \.maxBufferedBodyBytes,
            .size,
            "Memory for the bodies of all requests together. A body without room is answered 503."
        ),
        Setting(
            "max_connections",
            \.maxConnections,
            .count(),
            "Open connections to the API. A further one replaces the connection that has been idle longest."
        ),
        Setting(
            "max_connections_per_address",
            \.maxConnectionsPerAddress,
            optional: .count(),
            absent: "auto",
            "Open connections to the API from one address; auto is 256, and no limit for this machine."
        ),
        Setting("max_streams", \.maxStreams, .count(), "Open event streams."),
        Setting(
            "max_streams_per_token",
            \.maxStreamsPerToken,
            .count(),
            "Open event streams with one token."
        ),
        Setting(
            "stream_heartbeat",
            \.streamHeartbeat,
            .duration,
            "The time without an event after which a stream sends a comment."
        ),
        Setting("drain_timeout", \.shutdownTimeout, .duration, "Time limit for an orderly stop."),
    ]

    private static let process = [
        Setting(
            "key_file",
            \.keyFile,
            optional: .path,
            "The file with the key that encrypts stored credentials; none is <data>/key."
        ),
        Setting(
            "ca_file",
            \.certificateAuthorityFile,
            optional: .path,
            "The file of certificates to trust in place of the system's, for origins and webhooks."
        ),
        Setting(
            "client_certificates",
            \.clientCertificates,
            list: .clientCertificate,
            "Client certificates by host. *.name is every host below a name; the first match applies."
        ),
        Setting(
            "known_hosts",
            \.knownHostsFile,
            optional: .path,
            "The file of the SSH servers' keys that are trusted, in OpenSSH's format; none refuses sftp."
        ),
        Setting("log_level", \.logLevel, .word(Logger.Level.allCases), "The lowest level that is logged."),
        Setting(
            "log_format",
            \.logFormat,
            optional: .word(LogFormat.allCases),
            absent: "auto",
            "The format of log lines; auto is text on a terminal, else json."
        ),
    ]
}
