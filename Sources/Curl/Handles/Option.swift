import CLibcurl

/// A libcurl option with the type of its value.
///
/// `curl_easy_setopt()` does not check the type of its argument. With this type the compiler checks it, and does not
/// compile `set(.noSignal, "text")`, for example.
struct Option<Value> {
    let code: CURLoption
}

extension Option where Value == Bool {
    static var followRedirects: Self { Self(code: CURLOPT_FOLLOWLOCATION) }
    static var failOnHTTPError: Self { Self(code: CURLOPT_FAILONERROR) }
    static var http09Allowed: Self { Self(code: CURLOPT_HTTP09_ALLOWED) }
    static var contentDecoding: Self { Self(code: CURLOPT_HTTP_CONTENT_DECODING) }
    static var transferDecoding: Self { Self(code: CURLOPT_HTTP_TRANSFER_DECODING) }
    /// Ignores `Content-Length`. A response without chunks then ends with the connection.
    static var ignoreContentLength: Self { Self(code: CURLOPT_IGNORE_CONTENT_LENGTH) }
    /// Disables signals for name resolution timeouts, which a multithreaded program must not use.
    static var noSignal: Self { Self(code: CURLOPT_NOSIGNAL) }
    static var tcpKeepAlive: Self { Self(code: CURLOPT_TCP_KEEPALIVE) }
    static var verifyPeer: Self { Self(code: CURLOPT_SSL_VERIFYPEER) }
    /// Abandons an unfinished name resolution when the handle is freed. Waiting for it would block all transfers of the
    /// loop (https://curl.se/libcurl/c/CURLOPT_QUICK_EXIT.html).
    static var quickExit: Self { Self(code: CURLOPT_QUICK_EXIT) }
    /// Sends the path unchanged, without removing `/../`.
    static var pathAsIs: Self { Self(code: CURLOPT_PATH_AS_IS) }
    /// Excludes a proxy's response to CONNECT from the response's head.
    static var suppressConnectHeaders: Self { Self(code: CURLOPT_SUPPRESS_CONNECT_HEADERS) }
    static var freshConnection: Self { Self(code: CURLOPT_FRESH_CONNECT) }
    static var forbidReuse: Self { Self(code: CURLOPT_FORBID_REUSE) }
    static var post: Self { Self(code: CURLOPT_POST) }
    /// Sends a body from the read callback, as a PUT unless ``Option/customMethod`` names another method.
    static var upload: Self { Self(code: CURLOPT_UPLOAD) }
    /// Requests the modification time from an FTP or SFTP server (MDTM, stat).
    static var fileTime: Self { Self(code: CURLOPT_FILETIME) }
    /// Connects to the host of the control connection, and ignores the address in a PASV reply.
    static var skipPassiveAddress: Self { Self(code: CURLOPT_FTP_SKIP_PASV_IP) }
    /// Tries EPSV (RFC 2428) before PASV.
    static var extendedPassive: Self { Self(code: CURLOPT_FTP_USE_EPSV) }
}

extension Option where Value == Int {
    static var maxRedirects: Self { Self(code: CURLOPT_MAXREDIRS) }
    static var connectTimeoutMilliseconds: Self { Self(code: CURLOPT_CONNECTTIMEOUT_MS) }
    static var timeoutMilliseconds: Self { Self(code: CURLOPT_TIMEOUT_MS) }
    static var lowSpeedBytesPerSecond: Self { Self(code: CURLOPT_LOW_SPEED_LIMIT) }
    static var lowSpeedSeconds: Self { Self(code: CURLOPT_LOW_SPEED_TIME) }
    /// The age in seconds above which a connection is not used again, from libcurl 7.80 on.
    static var connectionLifetimeSeconds: Self { Self(code: CURLOPT_MAXLIFETIME_CONN) }
    /// The idle time in seconds above which a connection is not used again.
    static var longestIdleSeconds: Self { Self(code: CURLOPT_MAXAGE_CONN) }
    static var receiveBufferBytes: Self { Self(code: CURLOPT_BUFFERSIZE) }
    /// With 2, the names in the certificate must match the host. In current libcurl 1 means the same.
    static var verifyHost: Self { Self(code: CURLOPT_SSL_VERIFYHOST) }
    static var sslVersion: Self { Self(code: CURLOPT_SSLVERSION) }
    static var proxySSLVersion: Self { Self(code: CURLOPT_PROXY_SSLVERSION) }
    static var netrc: Self { Self(code: CURLOPT_NETRC) }
    static var httpVersion: Self { Self(code: CURLOPT_HTTP_VERSION) }
    static var httpAuthentication: Self { Self(code: CURLOPT_HTTPAUTH) }
    static var proxyAuthentication: Self { Self(code: CURLOPT_PROXYAUTH) }
    /// Whether FTP uses TLS: a value of `curl_usessl`.
    static var ftpSecurity: Self { Self(code: CURLOPT_USE_SSL) }
    static var serverReplySeconds: Self { Self(code: CURLOPT_SERVER_RESPONSE_TIMEOUT) }
    static var sshAuthentication: Self { Self(code: CURLOPT_SSH_AUTH_TYPES) }
}

extension Option where Value == String {
    static var url: Self { Self(code: CURLOPT_URL) }
    static var range: Self { Self(code: CURLOPT_RANGE) }
    /// The target in the request line (RFC 9112, section 3.2).
    static var requestTarget: Self { Self(code: CURLOPT_REQUEST_TARGET) }
    /// The method of a request that is not a GET.
    static var customMethod: Self { Self(code: CURLOPT_CUSTOMREQUEST) }
    static var allowedSchemes: Self { Self(code: CURLOPT_PROTOCOLS_STR) }
    static var allowedRedirectSchemes: Self { Self(code: CURLOPT_REDIR_PROTOCOLS_STR) }
    /// An empty string prevents libcurl from reading `http_proxy` and similar variables from the environment.
    static var proxy: Self { Self(code: CURLOPT_PROXY) }
    /// An empty string prevents libcurl from reading `no_proxy` from the environment.
    static var noProxy: Self { Self(code: CURLOPT_NOPROXY) }
    static var proxyUser: Self { Self(code: CURLOPT_PROXYUSERNAME) }
    static var proxyPassword: Self { Self(code: CURLOPT_PROXYPASSWORD) }
    static var proxyCertificateAuthorityFile: Self { Self(code: CURLOPT_PROXY_CAINFO) }
    static var user: Self { Self(code: CURLOPT_USERNAME) }
    static var password: Self { Self(code: CURLOPT_PASSWORD) }
    static var clientCertificateFile: Self { Self(code: CURLOPT_SSLCERT) }
    static var clientKeyFile: Self { Self(code: CURLOPT_SSLKEY) }
    static var certificateAuthorityFile: Self { Self(code: CURLOPT_CAINFO) }
    static var knownHostsFile: Self { Self(code: CURLOPT_SSH_KNOWNHOSTS) }
}
