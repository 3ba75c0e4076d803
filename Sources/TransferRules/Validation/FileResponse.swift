import Core
public import HTTPFields

/// What an FTP server (RFC 959; SIZE and MDTM of RFC 3659) or SFTP server states about a file before its first byte.
///
/// There are no ETags and no conditions: only size and time identify a version.
public struct FileResponse: Hashable, Sendable {
    /// The size of the whole file; nil if the server does not state it.
    public var size: Int64?
    /// The modification time by the server's clock; nil if the server does not state it.
    public var modifiedAt: HTTPDate?
    /// The time of the response, by this machine's clock.
    public var receivedAt: HTTPDate
    /// Whether the end of the body can be trusted to be the end of the file.
    public var isEndProvable: Bool

    public init(size: Int64?, modifiedAt: HTTPDate?, receivedAt: HTTPDate, isEndProvable: Bool = true) {
        self.size = size
        self.modifiedAt = modifiedAt
        self.receivedAt = receivedAt
        self.isEndProvable = isEndProvable
    }

    /// Times have a resolution of one second, so two changes within a second look the same. As for HTTP, a time is
    /// strong once it is at least a minute old.
    var validator: Validator {
        let age = modifiedAt.map { receivedAt.seconds(since: $0) }
        return Validator(
            lastModified: modifiedAt,
            isLastModifiedStrong: age.map { $0 >= Validator.strongDateAgeSeconds } ?? false,
            total: size
        )
    }
}
