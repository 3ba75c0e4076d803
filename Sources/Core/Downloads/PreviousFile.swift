import HTTPFields

extension Download {
    /// The description of a file whose bytes were discarded, after a cancellation or a restart. If the next response is
    /// a web page and this file was not, the response is suspect.
    public struct PreviousFile: Hashable, Sendable {
        public var totalBytes: Int64?
        /// The field value as received.
        public var etag: String?
        /// The field value as received.
        public var lastModified: String?
        /// The field value as received; empty if there was none.
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

        /// The validator to compare a response with.
        public func validator(now: Timestamp) -> Validator {
            Validator(
                etag: etag.flatMap(EntityTag.init),
                lastModified: lastModified.flatMap { HTTPDate($0, now: HTTPDate(secondsSinceEpoch: now.seconds)) },
                // It is never used to combine bytes, so the strength does not matter.
                isLastModifiedStrong: true,
                total: totalBytes,
                contentType: MediaType(contentType)?.essence
            )
        }
    }

    /// Forgets the stored bytes and the origin's statements, but keeps a ``PreviousFile``.
    public mutating func forgetBytes() {
        source = source.forgotten(total: progress.totalBytes)
        progress = Progress()
    }
}

extension Download.Source {
    /// The source after its bytes were discarded.
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
