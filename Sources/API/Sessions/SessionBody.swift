public import Core

/// The JSON of a session.
public struct SessionBody: Resource {
    public static let usualLength = 512

    let summary: SessionSummary
    let acted: SessionActionResult?

    /// - Parameter acted: The result of this request's action on the session's downloads. The ETag ignores it.
    public init(_ summary: SessionSummary, acted: SessionActionResult? = nil) {
        self.summary = summary
        self.acted = acted
    }

    public func write(to writer: inout JSONWriter) {
        let session = summary.session
        // A session name contains no character that a URL must escape.
        let name = session.name.text
        writer.object { writer in
            writer.member("name", name)
            writer.member("counters") { writer in
                writer.member("revision", session.revision)
                writer.member("epoch", session.epoch)
            }
            writer.member("sealed", session.isSealed)
            writer.member("open_count", session.openCount)
            writer.member("counts") { writer in
                for state in DownloadState.allCases { writer.member(state.rawValue, summary.counts[state] ?? 0) }
            }
            writer.member("received_bytes", summary.receivedBytes)
            writer.member("total_bytes", summary.totalBytes)
            writer.member("used_bytes", session.usedBytes)
            writer.member("created_at", session.createdAt)
            writer.member("finished_at", session.finishedAt)
            writer.member("limits") { writer in
                writer.member("rate_bytes_per_second", session.settings.rateBytesPerSecond)
                writer.member("max_concurrent", session.settings.maxConcurrent)
                writer.member("max_bytes", session.settings.maxBytes)
            }
            writer.retention(session.settings.retention)
            writer.member("description", session.settings.description)
            writer.member("labels", session.settings.labels)
            writer.member("callback_url", session.settings.callbackURL.map { RedactedURL($0, hiding: .path).text })
            writer.name("webhook_ids")
            writer.array(session.settings.webhookIDs) { $0.string($1.text) }
            writer.member("links") { writer in
                writer.member("self", "/sessions/\(name)")
                writer.member("downloads", "/downloads?session=\(name)")
            }
            acted?.write(to: &writer)
        }
    }
}

extension SessionActionResult {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("acted") { writer in
            writer.member("action", action.rawValue)
            writer.member("matched", matched)
            writer.member("changed", changed)
            writer.member("unchanged", unchanged)
            writer.member("refused", refused)
        }
    }
}

extension SessionBody {
    /// The strong ETag: it changes with everything that the resource shows.
    public var etag: String {
        var digest = XXH64()
        // Safe: a `UInt8` has no padding bytes.
        unsafe digest.update(SessionBody(summary).encoded().span.bytes)
        return "\"\(summary.session.revision).\(String(digest.value, radix: 16))\""
    }
}
