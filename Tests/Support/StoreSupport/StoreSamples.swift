public import Core
import HTTPFields
import TestSupport

/// Values for calls to a store. Who uses them conforms.
public protocol StoreSamples {}

extension StoreSamples {
    /// The instant at which tests begin.
    public static var now: Timestamp { Timestamp(milliseconds: 1_800_000_000_000) }

    public static var error: DownloadError { DownloadError(.connectFailed, message: "refused", curlCode: 7) }

    /// The instant so many seconds after ``now``.
    public static func at(_ seconds: Int64) -> Timestamp { now + .seconds(seconds) }

    public static func url(host: String = "a.example", path: String = "/file") -> DownloadURL {
        DownloadURL(text: "https://\(host)\(path)", scheme: "https", host: host, port: 443, path: path)
    }

    public static func checkpoint(_ durable: Int64, of total: Int64? = 1000, generation: Int = 1) -> Checkpoint {
        Checkpoint(
            generation: generation,
            source: with(Download.Source()) { $0.etag = "\"v1\"" },
            totalBytes: total,
            segments: [Segment(index: 0, start: 0, end: total, durableEnd: durable)]
        )
    }

    public static func file(_ path: String = "file", size: Int64 = 1000) -> PublishedFile {
        PublishedFile(
            path: path,
            digests: [Digest(algorithm: .md5, bytes: Array(repeating: 7, count: 16))],
            identity: .file(size: size, modified: nil, hint: FileHint(volume: .max, number: 12))
        )
    }

    public static func deferred(_ reason: WaitingFor = .retry, until time: Timestamp? = at(60)) -> ClaimOutcome {
        .deferred(Deferral(reason: reason, until: time, error: error))
    }

    /// An event as its number, type, subject and form, so that a test can read it back.
    public static func encode(_ event: Event, _ form: EventForm) -> [UInt8] {
        let subject =
            switch event.subject {
            case .download(let download, _, _): download.id.text
            case .session(let finished): "\(finished.name) \(finished.epoch)"
            case .webhook(let notice): notice.id.text
            case .operation(let operation): operation.id.text
            }
        let name = form == .standard ? "" : " \(form.payload.rawValue) \(form.format.rawValue)"
        return Array("\(event.sequence) \(event.type.rawValue) \(subject)\(name)".utf8)
    }
}
