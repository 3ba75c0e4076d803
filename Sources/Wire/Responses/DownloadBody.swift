public import Model

/// A download as the API shows it.
public struct DownloadBody: Resource {
    public static let usualLength = 2560

    let download: Download
    let live: LiveProgress?
    let fileAvailable: Bool

    /// - Parameters:
    ///   - live: How far its transfer is, while one runs here.
    ///   - fileAvailable: Whether the finished file can be fetched now.
    public init(download: Download, live: LiveProgress? = nil, fileAvailable: Bool) {
        self.download = download
        // A report of a transfer that is being stopped may come after the commit that stopped it.
        self.live = download.state == .running ? live : nil
        self.fileAvailable = fileAvailable && download.state == .completed && download.file?.isMissing == false
    }

    public var id: DownloadID { download.id }

    /// The bytes received that the resource shows, and its entity tag counts.
    public var receivedBytes: Int64 { live?.reading.receivedBytes ?? download.progress.durableBytes }

    /// What the resource shows, and its entity tag names.
    var phase: DownloadPhase? { live?.reading.phase ?? download.phase }

    public var etag: String {
        ETags.download(
            revision: download.revision,
            receivedBytes: receivedBytes,
            phase: phase,
            verifiedBytes: live?.reading.verifiedBytes,
            readAt: live?.readAt
        )
    }

    public func write(to writer: inout JSONWriter) {
        writer.object {
            writeMembers(to: &$0)
            writeHeaders(to: &$0)
            writeLinks(to: &$0)
        }
    }

    private func writeHeaders(to writer: inout JSONWriter) {
        let outline = download.request.outline
        writer.member("method", outline.method.rawValue)
        writer.member("body_bytes", outline.postedBytes)
        writeRedacted("request_headers", outline.headerNames, to: &writer)
        writeRedacted("cookies", outline.cookieNames, to: &writer)
        writer.member("proxy", outline.proxy)
        writer.member("callback_url", download.request.callbackURL.map { RedactedURL($0).text })
        writer.name("webhook_ids")
        writer.array(download.request.webhookIDs) { $0.string($1.text) }
        writer.name("authentication")
        guard let scheme = outline.scheme else { return writer.null() }
        writer.object { $0.member("scheme", scheme.rawValue) }
    }

    private func writeRedacted(_ member: String, _ names: [String], to writer: inout JSONWriter) {
        writer.member(member) { writer in
            for name in names {
                writer.foreignName(name)
                writer.string(RedactedURL.replacement)
            }
        }
    }

    private func writeLinks(to writer: inout JSONWriter) {
        writer.member("links") { writer in
            writer.member("self", "/downloads/\(download.id.text)")
            writer.member("file", "/downloads/\(download.id.text)/file")
        }
    }
}
