import HTTPFields

extension Download {
    /// What was known of a file whose bytes are gone, after a cancellation or a restart. The next response is suspect
    /// if it is a page and the file was none.
    public struct PreviousFile: Hashable, Sendable {
        public var totalBytes: Int64?
        /// The field as received.
        public var etag: String?
        /// The field as received.
        public var lastModified: String?
        /// The field as received; empty where there was none.
        public var contentType: String

        public init(
            totalBytes: Int64? = nil,
            etag: String? = nil,
            lastModified: String? = nil,
            contentType: String = ""
        ) {
            self.totalBytes = totalBytes
            self.etag = etag
            self.lastModified = lastModified
            self.contentType = contentType
        }

        /// The validator that a response is compared with.
        public func validator(now: Timestamp) -> Validator {
            Validator(
                etag: etag.flatMap(EntityTag.init),
                lastModified: lastModified.flatMap { HTTPDate($0, now: HTTPDate(secondsSinceEpoch: now.seconds)) },
                // It never combines bytes.
                isLastModifiedStrong: true,
                total: totalBytes,
                contentType: MediaType(contentType)?.essence
            )
        }
    }

    /// Forgets the bytes and the origin's statements, but keeps what the file was.
    public mutating func forgetBytes() {
        source = source.forgotten(total: progress.totalBytes)
        progress = Progress()
    }
}

extension Download.Source {
    /// What remains of it without its bytes.
    public func forgotten(total: Int64?) -> Self {
        var left = Self()
        left.previousFile =
            status == nil
            ? previousFile
            : Download.PreviousFile(
                totalBytes: total,
                etag: etag,
                lastModified: lastModified,
                contentType: contentType ?? ""
            )
        return left
    }
}
