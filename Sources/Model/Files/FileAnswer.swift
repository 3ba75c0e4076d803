/// What a server of files says of one before its first byte: FTP (RFC 959, with SIZE and MDTM of RFC 3659) and SFTP.
///
/// There is no tag, and no condition that a request could carry: size and time are all that tells two files apart.
public struct FileAnswer: Hashable, Sendable {
    /// The size of the whole file; nil where the server does not tell it.
    public var size: Int64?
    /// When the file last changed, by the server's clock; nil where the server does not tell it.
    public var modifiedAt: HTTPDate?
    /// When it came, by this machine's clock.
    public var receivedAt: HTTPDate
    /// Whether the end of the body is known to be that of the file.
    public var isEndProvable: Bool

    public init(size: Int64?, modifiedAt: HTTPDate?, receivedAt: HTTPDate, isEndProvable: Bool = true) {
        self.size = size
        self.modifiedAt = modifiedAt
        self.receivedAt = receivedAt
        self.isEndProvable = isEndProvable
    }

    /// Times have a resolution of one second, so that a file which has just changed may do so again unseen: as with
    /// HTTP, a time is strong once it is a minute old.
    var validator: Validator {
        let age = modifiedAt.map { receivedAt.seconds(since: $0) }
        return Validator(
            lastModified: modifiedAt,
            isLastModifiedStrong: age.map { $0 >= Validator.strongDateAgeSeconds } ?? false,
            total: size
        )
    }
}
