import URLs

/// The differences between URL schemes in libcurl.
struct SchemeTraits: Hashable, Sendable {
    /// Whether requests and responses have header fields. If not, libcurl passes on the server's replies and the file's
    /// metadata.
    var headerFields = true
    /// Whether a URL may have a query. If not, its path names a file, and characters that would start a command or a
    /// type are refused.
    var queries = true
    /// Whether libcurl may wait for a socket although it has already read its bytes, so that it must be called again.
    var needsSecondLook = false

    static var web: Self { Self() }
    static var fileServer: Self { Self(headerFields: false, queries: false, needsSecondLook: true) }
}

extension URLScheme {
    var traits: SchemeTraits {
        switch self {
        case .http, .https: .web
        case .ftp, .ftps, .sftp: .fileServer
        }
    }
}
