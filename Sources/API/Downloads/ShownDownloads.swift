import Core
import HTTPServer
import HTTPTypes
import Synchronization

/// The responses that show whole downloads, for clients that poll.
///
/// A response depends only on its ``DownloadBody``: the record, the progress of a transfer, and what keeps the download
/// from a slot. It is used again only for an equal body, so it needs no invalidation, and no commit makes it stale. A
/// body with progress or with such a cause is not stored, because it changes without the record.
final class ShownDownloads: Sendable {
    private struct Entry {
        let body: DownloadBody
        let etag: String
        let response: ServerResponse
    }

    private static let capacity = 256

    private let entries = Mutex<[DownloadID: Entry]>([:])

    /// The response for a download, and its ETag.
    ///
    /// - Parameter make: Makes the response for an ETag.
    func response(
        for body: DownloadBody,
        make: (_ etag: String) -> ServerResponse
    ) -> (etag: String, response: ServerResponse) {
        if let entry = entries.withLock({ $0[body.id] }), entry.body == body { return (entry.etag, entry.response) }
        let etag = body.etag
        let response = make(etag)
        guard body.dependsOnRecordOnly else { return (etag, response) }
        entries.withLock { entries in
            if entries.count >= Self.capacity { entries.removeAll(keepingCapacity: true) }
            entries[body.id] = Entry(body: body, etag: etag, response: response)
        }
        return (etag, response)
    }
}
