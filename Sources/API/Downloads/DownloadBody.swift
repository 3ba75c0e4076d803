public import Core
import HTTPFields
public import Service

/// The JSON of a download.
public struct DownloadBody: Resource, Equatable {
    public static let usualLength = 2560

    let download: Download
    let liveProgress: LiveProgress?
    let fileAvailable: Bool
    let deferral: QueueDeferral?

    /// - Parameters:
    ///   - liveProgress: The progress of its transfer; nil if no transfer is running.
    ///   - fileAvailable: Whether the finished file can be fetched now.
    ///   - deferral: What keeps a queued download from a slot now.
    public init(
        download: Download,
        liveProgress: LiveProgress? = nil,
        fileAvailable: Bool,
        deferral: QueueDeferral? = nil
    ) {
        self.download = download
        self.deferral = download.state == .queued ? deferral : nil
        // A progress reading may arrive after the commit that stopped the transfer.
        self.liveProgress = download.state == .running ? liveProgress : nil
        self.fileAvailable =
            fileAvailable && download.state == .completed && download.file?.isMissing == false
            && download.file?.expiredAt == nil
    }

    public var id: DownloadID { download.id }

    /// Whether everything that the resource shows is in the record, so that it changes only by a commit.
    var dependsOnRecordOnly: Bool { liveProgress == nil && deferral == nil }

    /// The received bytes that the resource shows. They are part of its ETag.
    public var receivedBytes: Int64 { liveProgress?.reading.receivedBytes ?? download.progress.durableBytes }

    /// The phase that the resource shows. It is part of the ETag.
    var phase: DownloadPhase? { liveProgress?.reading.phase ?? download.phase }

    public var etag: String {
        ETags.download(
            revision: download.revision,
            receivedBytes: receivedBytes,
            phase: phase,
            verifiedBytes: liveProgress?.reading.verifiedBytes,
            readAt: liveProgress?.readAt,
            deferral: deferral == nil ? nil : waitingReason
        )
    }

    /// The stored cause, or the one that keeps a queued download from a slot.
    var waitingFor: String? { download.waitingFor?.rawValue ?? deferral?.word }

    private var waitingReason: String? { download.waitingReason(deferral, instant: Instant.text) }

    public func write(to writer: inout JSONWriter) {
        writer.object {
            writeMembers(to: &$0)
            writeHeaders(to: &$0)
            writeLinks(to: &$0)
        }
    }

    private func writeHeaders(to writer: inout JSONWriter) {
        let summary = download.request.summary
        writer.member("method", summary.method.rawValue)
        writer.member("body_bytes", summary.postedBytes)
        writeRedacted("request_headers", summary.headerNames, to: &writer)
        writeRedacted("cookies", summary.cookieNames, to: &writer)
        writer.member("proxy", summary.proxy)
        writer.member("callback_url", download.request.callbackURL.map { RedactedURL($0, hiding: .path).text })
        writer.name("joined_callback_urls")
        writer.array(download.request.joinedCallbackURLs) { $0.string(RedactedURL($1, hiding: .path).text) }
        writer.name("webhook_ids")
        writer.array(download.request.webhookIDs) { $0.string($1.text) }
        writer.name("authentication")
        guard let scheme = summary.scheme else { return writer.null() }
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

/// The members that the resource and the events of a download share.
extension DownloadBody {
    /// - Parameter truncating: Omits the members that a client can make large: metadata and mirrors.
    func writeMembers(to writer: inout JSONWriter, truncating: Bool = false) {
        writeStanding(to: &writer)
        writeRequest(to: &writer, truncating: truncating)
        writeProgress(to: &writer)
        writeSource(to: &writer)
        writeFile(to: &writer)
        writeError(to: &writer)
        writeTimes(to: &writer)
    }

    /// The summary of a download in a snapshot: name, state and progress.
    func writeRequestSummary(to writer: inout JSONWriter) {
        writer.object { writer in
            writeStanding(to: &writer)
            writer.member("url", RedactedURL(download.request.url).text)
            writer.member("session", download.request.session?.text)
            writer.member("root", download.request.root.shown)
            writer.member("directory", download.request.directory?.path)
            writer.member("name", download.name)
            writer.member("filename", filename)
            writer.member("priority", download.request.priority.value)
            writer.member("labels", download.request.labels)
            writeProgress(to: &writer)
            writeError(to: &writer)
            writer.member("created_at", download.times.createdAt)
            writer.member("updated_at", download.times.updatedAt)
            writer.member("next_attempt_at", download.times.nextAttemptAt)
        }
    }

    private func writeStanding(to writer: inout JSONWriter) {
        writer.member("id", download.id.text)
        writer.member("counters") { writer in
            writer.member("revision", download.revision)
            writer.member("run", download.run)
            writer.member("generation", download.generation)
            writer.member("attempt", download.attempts.count)
        }
        writer.member("state", download.state.rawValue)
        writer.member("phase", phase?.rawValue)
        writer.member("waiting_for", waitingFor)
        writer.member("waiting_reason", waitingReason)
        writer.name("allowed_actions")
        let actions = download.state.allowedActions(in: phase)
        writer.array(actions) { $0.string($1.rawValue) }
    }

    private func writeRequest(to writer: inout JSONWriter, truncating: Bool) {
        let request = download.request
        writer.member("url", RedactedURL(request.url).text)
        writer.name("mirrors")
        writer.array(truncating ? [] : request.mirrors) { $0.string(RedactedURL($1).text) }
        writer.member("metalink", request.metalink.rawValue)
        writer.member("refresh_url", request.refreshURL.map { RedactedURL($0).text })
        writer.member("session", request.session?.text)
        writer.member("root", request.root.shown)
        writer.member("directory", request.directory?.path)
        writer.member("name", download.name)
        writer.member("filename", filename)
        writer.member("on_conflict", request.onConflict.rawValue)
        writer.member("expected") { writer in
            writer.member("size_bytes", request.expected.sizeBytes)
            writer.digests("digests", request.expected.digests)
            writer.member("content_type", request.expected.mediaType?.essence)
        }
        writer.member("limits") { writer in
            writer.member("max_bytes", request.maxBytes)
            writer.member("rate_bytes_per_second", request.rateBytesPerSecond)
            writer.member("connections", request.connections)
        }
        writer.member("max_attempts", request.maxAttempts)
        request.retry.write(to: &writer)
        writer.member("priority", request.priority.value)
        writer.member("not_before_at", request.notBefore)
        writer.retention(request.retention)
        writer.member("description", request.description)
        writer.member("labels", request.labels)
        writer.member("metadata", truncating ? nil : request.metadata)
        writer.member("dedupe_key", request.dedupeKey)
        writer.member("accept_unverified_length", request.acceptsUnverifiedLength)
        writer.member("accept_html", request.acceptsHTML)
        writer.member("preserve_mtime", request.preservesModificationTime)
        writer.member("skipped", download.state == .completed && download.file?.isSkipped == true)
    }

    /// The requested name, else the assigned one. A name that the origin proposes may still change.
    private var filename: String? {
        download.file == nil ? download.request.filename?.value : download.name
    }

    private func writeProgress(to writer: inout JSONWriter) {
        let stored = download.progress
        writer.member("progress") { writer in
            writer.member("received_bytes", receivedBytes)
            writer.member("total_bytes", liveProgress?.reading.totalBytes ?? stored.totalBytes)
            writer.member("resumed_from_bytes", stored.resumedFromBytes)
            writer.member("verified_bytes", liveProgress?.reading.verifiedBytes)
            writer.member("bytes_per_second", liveProgress?.bytesPerSecond)
            writer.member("eta_seconds", liveProgress?.etaSeconds)
            writer.member("connections", liveProgress?.reading.connections ?? 0)
            writer.member("updated_at", liveProgress?.readAt ?? download.times.progressedAt)
        }
    }

    private func writeSource(to writer: inout JSONWriter) {
        let source = download.source
        writer.member("source") { writer in
            writer.member("url", source.url.map { RedactedURL($0).text })
            writer.member("final_url", source.finalURL.map { RedactedURL($0).text })
            writer.member("redirects", source.redirects)
            writer.member("http_version", source.httpVersion)
            writer.member("http_status", source.status)
            writer.member("etag", source.etag)
            writer.member("last_modified", source.lastModified)
            writer.member("content_type", source.contentType)
            writer.member("content_encoding", source.contentEncoding)
            writer.digests("digests", source.digests)
            writeSources(to: &writer)
        }
    }

    /// The current sources of the bytes, one entry for each URL of the file.
    private func writeSources(to writer: inout JSONWriter) {
        writer.name("sources")
        writer.array(liveProgress?.reading.sources ?? []) { writer, source in
            writer.object { writer in
                writer.member("url", RedactedURL(source.url).text)
                writer.member("state", source.state.word)
                writer.member("reason", source.state.reason?.rawValue)
                writer.member("received_bytes", source.receivedBytes)
            }
        }
    }

    private func writeFile(to writer: inout JSONWriter) {
        // The name is recorded before the file exists, so it is shown only after completion.
        // The file of an earlier run stays until this run publishes its own.
        let file = download.state == .completed ? download.file : download.keptFile
        writer.member("file") { writer in
            writer.member("available", fileAvailable)
            writer.member("path", file?.path)
            writer.member("size_bytes", file?.sizeBytes)
            writer.digests("digests", file?.digests ?? [])
            writer.member("modified_at", file?.modifiedAt)
            writer.member("expires_at", file?.expiredAt == nil ? expiry : nil)
            writer.member("expired_at", file?.expiredAt)
        }
    }

    /// From when the file is removed by a choice of the client; nil if the setting decides, or if the file was there
    /// before the download.
    private var expiry: Timestamp? {
        guard download.state == .completed, download.file?.isSkipped != true,
            let finishedAt = download.times.finishedAt
        else { return nil }
        return download.request.retention?.expiry(finishedAt: finishedAt)
    }

    private func writeError(to writer: inout JSONWriter) {
        writer.name("error")
        guard let failure = download.error else { return writer.null() }
        writer.object { writer in
            writer.member("code", failure.error.code.rawValue)
            writer.member("message", failure.error.message)
            writer.member("retryable", failure.isRetried)
            writer.member("http_status", failure.error.httpStatus)
            writer.member("curl_code", failure.error.curlCode)
            writer.member("attempt", failure.attempt)
            writer.member("occurred_at", failure.at)
        }
    }

    private func writeTimes(to writer: inout JSONWriter) {
        let times = download.times
        writer.member("created_at", times.createdAt)
        writer.member("updated_at", times.updatedAt)
        writer.member("queued_at", times.queuedAt)
        writer.member("started_at", times.startedAt)
        writer.member("finished_at", times.finishedAt)
        writer.member("next_attempt_at", times.nextAttemptAt)
        writer.member("deadline_at", times.deadlineAt)
    }
}

extension DownloadBody {
    /// The state of a download at `now`, for a response.
    public init(_ view: DownloadView, _ now: Timestamp) {
        self.init(
            download: view.download,
            liveProgress: view.progress.map { LiveProgress($0, at: now) },
            fileAvailable: view.download.state == .completed,
            deferral: view.deferral
        )
    }
}
