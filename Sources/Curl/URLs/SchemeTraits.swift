/// What libcurl does in its own way for the URLs of one scheme.
struct SchemeTraits: Hashable, Sendable {
    /// Requests and responses have header fields. Otherwise libcurl passes on the server's replies, and states what it
    /// knows of the file.
    var headerFields = true
    /// A URL may have a query. Otherwise its path names a file, and what would be a command or a type in it is refused.
    var queries = true
    /// libcurl may wait for a socket whose bytes it has read already, so that it has to look again.
    var needsSecondLook = false

    static var web: Self { Self() }
    static var fileServer: Self { Self(headerFields: false, queries: false, needsSecondLook: true) }
}

extension ParsedURL.Scheme {
    var traits: SchemeTraits {
        switch self {
        case .http, .https: .web
        case .ftp, .ftps, .sftp: .fileServer
        }
    }
}
