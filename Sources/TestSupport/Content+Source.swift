public import Core

extension Content {
    /// What a good origin says of it, as a download keeps it.
    public func source(finalURL: String? = nil) -> Download.Source {
        Download.Source(
            finalURL: finalURL,
            httpVersion: "1.1",
            status: 200,
            etag: etag,
            lastModified: lastModified,
            isLastModifiedStrong: true,
            contentType: "application/octet-stream"
        )
    }
}
