import Core
import HTTPFields
import StoreSupport
import TestSupport
import Testing

@testable import Store

/// Values that have something in every column.
enum Samples {
    private static func time(_ number: Int64) -> Timestamp { Timestamp(milliseconds: 1_800_000_000_000 + number) }

    /// - Parameter number: Those of two numbers differ in every column.
    static func download(_ number: Int) throws -> Download {
        let wide = Int64(number)
        var times = Download.Times(createdAt: time(wide), deadlineAt: time(wide + 10))
        (times.updatedAt, times.queuedAt, times.progressedAt) = (time(wide + 1), time(wide + 2), time(wide + 3))
        (times.startedAt, times.finishedAt) = (time(wide + 4), time(wide + 5))
        (times.nextAttemptAt, times.pausedAt) = (time(wide + 6), time(wide + 7))
        let code = number == 1 ? DownloadError.Code.timeout : .tooLarge
        var download = Download(
            id: DownloadID(first: time(wide)),
            request: try request(number),
            state: number == 1 ? .waiting : .running,
            times: times
        )
        download.source = try source(number)
        download.file = try file(number)
        download.error = DownloadFailure(
            error: DownloadError(code, message: "m\(number)", httpStatus: number, curlCode: number),
            isRetried: number == 1,
            attempt: number,
            at: time(wide)
        )
        download.phase = number == 1 ? .probing : .publishing
        download.waitingFor = number == 1 ? .retry : .host
        download.revision = wide
        download.run = number
        download.epoch = wide
        download.node = "node \(number)"
        download.generation = number
        download.attempts = with(Download.Attempts()) {
            $0.count = number
            $0.withoutProgress = number
            $0.restarts = number
            $0.sameFailures = number
            $0.suspectResponses = number
            $0.mismatches = number
            $0.urlRefreshes = number
            $0.crashes = number
            $0.crashesDespiteProgress = number
        }
        download.progress = Download.Progress(durableBytes: wide, totalBytes: wide, resumedFromBytes: wide)
        download.keptFile = try keptFile(number)
        return download
    }

    private static func keptFile(_ number: Int) throws -> PublishedFile {
        var file = PublishedFile(
            path: "k\(number)",
            root: try #require(RootName("k\(number)")),
            digests: [try digest(number)],
            identity: .file(
                size: Int64(number + 10),
                modified: Int64(number + 10),
                hint: FileHint(volume: .max - UInt64(number), number: UInt64(number + 10))
            )
        )
        file.placedAt = time(Int64(number + 10))
        return file
    }

    /// With nothing but what every download has.
    static func smallDownload() throws -> Download {
        Download(
            id: DownloadID(first: time(9)),
            request: DownloadRequest(url: Fixture.url()),
            state: .queued,
            times: Download.Times(createdAt: time(9), deadlineAt: time(10))
        )
    }

    /// Its columns are filled by their types. What follows is in columns of the whole download, or is more than one
    /// column says.
    private static func request(_ number: Int) throws -> DownloadRequest {
        let wide = Int64(number)
        var request = DownloadRequest.blank
        var columns = SampleColumns(number: number)
        try request.columns(&columns)
        request.url = DownloadURL(
            text: "https://\(number).example/\(number)",
            scheme: number == 1 ? "https" : "http",
            host: "\(number).example",
            port: UInt16(number),
            path: "/\(number)"
        )
        request.deadline = number == 1 ? .serviceDefault : .at(time(wide + 10))
        request.retention = number == 1 ? .until(time(wide + 11)) : .after(WholeSeconds(wide))
        request.session = SessionName("s\(number)")
        request.dedupeKey = "k\(number)"
        request.callbackURL = "https://c\(number).example/"
        request.joinedCallbackURLs = ["https://j\(number).example/"]
        request.webhookIDs = [WebhookID(first: time(wide))]
        return request
    }

    private static func source(_ number: Int) throws -> Download.Source {
        var source = Download.Source()
        source.finalURL = "https://f\(number).example/"
        source.redirects = number
        source.httpVersion = "\(number)"
        source.status = number
        source.etag = "\"\(number)\""
        source.lastModified = "l\(number)"
        source.isLastModifiedStrong = number == 1
        source.contentType = "t\(number)"
        source.contentEncoding = "e\(number)"
        source.suggestedName = "n\(number)"
        source.remoteAddress = "a\(number)"
        source.digests = [try digest(number)]
        source.url = "https://u\(number).example/"
        source.mirrors = ["m\(number)"]
        source.isMetalink = number == 1
        source.previousFile = Download.PreviousFile(
            totalBytes: Int64(number),
            etag: "e\(number)",
            lastModified: "l\(number)",
            contentType: "c\(number)"
        )
        return source
    }

    private static func file(_ number: Int) throws -> PublishedFile {
        var file = PublishedFile(
            path: "p\(number)",
            root: try #require(RootName("p\(number)")),
            digests: [try digest(number)],
            identity: .file(
                size: Int64(number),
                modified: Int64(number),
                hint: FileHint(volume: .max - UInt64(number), number: UInt64(number))
            )
        )
        file.isMissing = number == 1
        file.isSkipped = number == 1
        file.expiredAt = time(Int64(number))
        file.movingTo = "q\(number)"
        file.placedAt = time(Int64(number))
        return file
    }

    private static func digest(_ number: Int) throws -> Digest {
        try #require(Digest("sha-256=" + String(repeating: "0\(number)", count: 32)))
    }
}

extension Samples {
    static func webhook() throws -> Webhook {
        with(
            Webhook(
                id: WebhookID(first: time(1)),
                createdBy: .callback,
                settings: try with(WebhookSettings(url: "https://hook.example/")) {
                    $0.description = "words"
                    $0.eventTypes = [
                        try #require(EventPattern("download.*")), try #require(EventPattern("session.finished")),
                    ]
                    $0.session = SessionFilter("a*")
                    $0.labels = JSONText(canonical: "{}")
                    $0.form = EventForm(payload: .thin, format: .cloudEvents)
                    $0.ordering = .session
                    $0.rateLimitPerSecond = 5
                    $0.headers = SealedCredentials(bytes: [1])
                    $0.headerNames = ["A", "B"]
                    $0.verification = .cloudEvents
                },
                createdAt: time(4),
                updatedAt: time(5)
            )
        ) {
            $0.keys = WebhookKeys(
                sealed: [1],
                fingerprint: "f",
                previous: WebhookKeys.Previous(sealed: [2], expiresAt: time(2))
            )
            $0.disabled = Webhook.Disabling(reason: "gone", at: time(3))
            $0.revision = 7
        }
    }

    static func sessionAccount() throws -> SessionAccount {
        with(SessionAccount(try #require(SessionName("s")), at: time(1))) {
            $0.isDeleted = true
            $0.epochStartedAt = time(5)
            ($0.ended.completed, $0.ended.failed, $0.ended.cancelled, $0.ended.receivedBytes) = (9, 10, 11, 12)
            $0.totals = DownloadTotals(counts: [.queued: 13, .cancelled: 14], receivedBytes: 15, totalBytes: 16)
            $0.session.epoch = 2
            $0.session.openCount = 3
            $0.session.finishedAt = time(2)
            $0.session.sealedAt = time(3)
            $0.session.usedBytes = 4
            $0.session.revision = 5
            $0.session.settings = SessionSettings(
                rateBytesPerSecond: 6,
                maxConcurrent: 7,
                maxBytes: 8,
                description: "d",
                labels: JSONText(canonical: "{}"),
                callbackURL: "https://hook.example/",
                webhookIDs: [WebhookID(first: time(4))]
            )
        }
    }

    static func requestRecord() -> RequestRecord {
        var record = RequestRecord(number: 1, run: 2, attempt: 3, at: time(1), method: .post, url: "u")
        (record.redirects, record.first, record.last) = (4, 5, 6)
        record.response = RequestRecord.Response(
            status: 206,
            httpVersion: "2",
            etag: "e",
            lastModified: "l",
            contentRange: "r",
            contentLength: 7,
            remoteAddress: "a"
        )
        record.decision = RequestRecord.Decision(.retry, reason: "why")
        record.end = RequestRecord.End(receivedBytes: 8, duration: .milliseconds(9), error: "e", curlCode: 10)
        return record
    }

    static func delivery() -> Delivery {
        with(
            Delivery(
                id: DeliveryID(first: time(1)),
                webhook: WebhookID(first: time(2)),
                event: EventID(first: time(3)),
                eventType: .downloadCompleted,
                sequence: 4,
                eventAt: time(5)
            )
        ) {
            $0.state = .failed
            $0.attempts = 6
            $0.nextAttemptAt = time(7)
            $0.finishedAt = time(8)
        }
    }

    static func deliveryAttempt() -> LoggedDeliveryAttempt {
        let attempt = with(DeliveryAttempt(startedAt: time(1), duration: .milliseconds(2))) {
            $0.fields = [
                DeliveryAttempt.Field(name: "a", value: "b: c"), DeliveryAttempt.Field(name: "d", value: ""),
            ]
            $0.status = 500
            $0.error = "e"
            $0.responseExcerpt = [1, 2]
            $0.remoteAddress = "192.0.2.1"
        }
        return LoggedDeliveryAttempt(number: 1, attempt, nextAttemptAt: time(2))
    }
}
