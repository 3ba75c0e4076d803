import Core
import HTTPFields
import Logging
import Service

extension Setting {
    /// Every setting, in the order in which the help shows them.
    static let all: [Setting] = access + downloads + webhook + server + process

    private static let access = [
        Setting("listen", \.listen, .listenAddress, "Where the API listens. A port alone means loopback."),
        Setting("data_dir", \.dataDirectory, .path, "The folder for the database and the files."),
        Setting(
            secret: "token",
            \.token,
            expects: "a token of 16 characters or more, in visible ASCII",
            "The file with the token that clients show. Anywhere but on loopback one is made if none is given.",
            check: { $0.utf8.count >= 16 && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
        ),
        Setting(
            "public_hosts",
            \.publicHosts,
            list: .host,
            "Names under which the API may be spoken to, without ports."
        ),
        Setting(
            "cors_origins",
            \.corsOrigins,
            list: .webOrigin,
            "Web origins whose pages may use the API; * lets the pages of any."
        ),
    ]

    private static let downloads = [
        Setting("max_concurrent", \.maxConcurrent, .count(), "Downloads that run at once."),
        Setting(
            "max_per_host",
            \.maxPerHost,
            optional: .count(),
            absent: "auto",
            "Downloads of one host that run at once; auto is a quarter of max_concurrent."
        ),
        Setting(
            "connections_per_download",
            \.connectionsPerDownload,
            .count(upTo: 32),
            "The most connections that fetch one file, unless its download names a number; fewer if more do not help."
        ),
        Setting(
            "max_connections_per_download",
            \.maxConnectionsPerDownload,
            .count(upTo: 32),
            "The most connections that a download may ask for; one that asks for more is refused."
        ),
        Setting(
            "connections_per_host",
            \.connectionsPerHost,
            .count(),
            "The most connections to one host, of all downloads together; fewer while it refuses or fails."
        ),
        Setting(
            "min_speed",
            \.minSpeed,
            optional: .size,
            "A download that brings fewer bytes a second for min_speed_time gives up its slot, and is tried again."
        ),
        Setting("min_speed_time", \.minSpeedTime, .duration, "How long a download may stay below min_speed."),
        Setting("rate_limit", \.rateLimit, optional: .rate, "What all downloads together take in a second."),
        Setting(
            "rate_schedule",
            \.rateSchedule,
            optional: .rateSchedule,
            "Windows of the week, in local time, in which another rate_limit holds; the first that fits decides."
        ),
        Setting(
            "rate_limit_per_host",
            \.rateLimitPerHost,
            optional: .rate,
            "What the downloads of one host together take in a second."
        ),
        Setting("queue_limit", \.queueLimit, optional: .count(), "Queued downloads beyond which new ones are refused."),
        Setting(
            "workers",
            \.loops,
            optional: .count(),
            absent: "auto",
            "Threads that drive transfers; auto is one to each core."
        ),
        Setting(
            "destinations",
            \.destinations,
            optional: .word(DestinationChoice.allCases),
            absent: "auto",
            "Whom downloads may go to; auto is any while the API listens on loopback, and public elsewhere."
        ),
        Setting(
            "allow_destinations",
            \.allowedDestinations,
            list: .addressBlock,
            "Blocks of addresses that are allowed besides the public ones."
        ),
        Setting(
            secret: "proxy",
            \.proxy,
            expects: "a proxy: http, https, socks5 or socks5h://[user[:password]@]host:port",
            "The file with the proxy that downloads are fetched through.",
            check: { ProxyServer($0) != nil }
        ),
        Setting(
            "no_proxy",
            \.noProxy,
            list: .proxyException,
            "Hosts that are asked without the proxy: names with all below them, addresses and blocks, * for all."
        ),
        Setting(
            "client_proxies",
            \.clientProxies,
            optional: .word(ProxyPermission.allCases),
            absent: "auto",
            "Whether a download may name a proxy; auto refuses it where destinations are limited."
        ),
        Setting("max_download_bytes", \.maxDownloadBytes, optional: .size, "The most bytes that a download may have."),
        Setting("min_free_bytes", \.minFreeBytes, .size, "Room on the disk that downloads leave free."),
        Setting(
            "resume_free_bytes",
            \.resumeFreeBytes,
            optional: .size,
            absent: "auto",
            "Room that is to be free before downloads that wait for it go on; auto is min_free_bytes and 5 %."
        ),
        Setting("file_mode", \.fileMode, .permissions(0o600), "The permissions of finished files."),
        Setting(
            "folder_mode",
            \.folderMode,
            .permissions(0o700),
            "The permissions of the folders that are made for them."
        ),
        Setting("keep_finished", \.keepFinished, .duration, "How long records are kept; files stay."),
        Setting("digest", \.digest, optional: .word([.sha256]), "The digest that every file gets."),
    ]

    private static let webhook = [
        Setting("webhook_url", \.webhookURL, optional: .url, "An endpoint that receives events from the start."),
        Setting(
            secret: "webhook_secret",
            \.webhookSecret,
            expects: "a signing secret: whsec_ and the base64 of 24 to 64 bytes",
            "The file with the secret that deliveries are signed with. One is made if none is given.",
            check: { WebhookSecret($0) != nil }
        ),
        Setting(
            "webhook_retry_delays",
            \.webhookRetryDelays,
            list: .duration,
            "How long after each failure a delivery is tried again."
        ),
        Setting(
            "webhook_origin",
            \.webhookOrigin,
            optional: .host,
            "The service's name for webhooks that are asked for their consent, such as downloads.example.com."
        ),
        Setting(
            "allow_insecure_webhooks",
            \.allowsInsecureWebhooks,
            .flag,
            "Whether webhooks that clients make may be on http."
        ),
        Setting(
            "allow_inline_callbacks",
            \.allowsInlineCallbacks,
            .flag,
            "Whether downloads and sessions may have a callback_url."
        ),
    ]

    private static let server = [
        Setting("header_deadline", \.headerDeadline, .duration, "The time for a request's head."),
        Setting("body_deadline", \.bodyDeadline, .duration, "The time for a request's body."),
        Setting("max_body_bytes", \.maxBodyBytes, .size, "The largest request body; a batch has four times as much."),
        Setting(
            "max_buffered_body_bytes",
            \.maxBufferedBodyBytes,
            .size,
            "What the bodies of all requests together may hold; one that has no room is answered 503."
        ),
        Setting(
            "max_connections",
            \.maxConnections,
            .count(),
            "Connections to the API; one more takes the place of the one that has been idle longest."
        ),
        Setting(
            "max_connections_per_address",
            \.maxConnectionsPerAddress,
            optional: .count(),
            absent: "auto",
            "Connections to the API from one address; auto is 256, and no limit for this machine."
        ),
        Setting("max_streams", \.maxStreams, .count(), "Streams of events that are open at once."),
        Setting(
            "max_streams_per_token",
            \.maxStreamsPerToken,
            .count(),
            "Streams of events that are open at once with one token."
        ),
        Setting("stream_heartbeat", \.streamHeartbeat, .duration, "How long a stream of events stays silent."),
        Setting("drain_timeout", \.shutdownTimeout, .duration, "How long the service may take to stop."),
    ]

    private static let process = [
        Setting(
            "key_file",
            \.keyFile,
            optional: .path,
            "The file with the key that credentials are encrypted with; none is <data>/key."
        ),
        Setting(
            "ca_file",
            \.certificateAuthorityFile,
            optional: .path,
            "Certificates to trust in place of the system's."
        ),
        Setting(
            "client_certificates",
            \.clientCertificates,
            list: .clientCertificate,
            "What hosts are shown that ask for a certificate; *.name is all below a name, the first that fits decides."
        ),
        Setting(
            "known_hosts",
            \.knownHostsFile,
            optional: .path,
            "The keys of the SSH servers that sftp may be fetched from, as OpenSSH keeps them; none refuses sftp."
        ),
        Setting("log_level", \.logLevel, .word(Logger.Level.allCases), "The least severe messages that are logged."),
        Setting(
            "log_format",
            \.logFormat,
            optional: .word(LogFormat.allCases),
            absent: "auto",
            "How log lines are written; auto is text on a terminal, and json elsewhere."
        ),
    ]
}
