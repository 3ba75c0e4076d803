/// How a server of files is taken at its word that it sends from the byte it was asked for.
///
/// FTP's REST (RFC 3659, section 5) is agreed to beforehand, and some servers then send from the start all the same: as
/// many bytes as are missing come, and they are others.
public enum FileTrust: Hashable, Sendable {
    /// Each byte comes with its place (SFTP), or the digest of the whole file will judge them.
    case full
    /// The end shows it: a server that began elsewhere has more to send. Nothing counts before it.
    case atEnd
    /// Nothing shows it: over TLS libcurl reads no further than it has to.
    case never

    public init(_ scheme: URLScheme, expectsDigest: Bool) {
        self =
            switch scheme {
            case .ftp: expectsDigest ? .full : .atEnd
            case .ftps: expectsDigest ? .full : .never
            case .sftp, .http, .https: .full
            }
    }
}
