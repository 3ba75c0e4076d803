import Core
import HTTPFields
import ServiceSupport
import TestSupport
import Testing

@testable import API

/// Downloads to show.
enum Samples {
    static let id = "dl_01kdyak3seeejr3cp3tkjzc1rr"

    static func request(_ url: String = "https://cdn.example/a.iso?sig=1") -> DownloadRequest {
        let source = DownloadURL(text: url, scheme: "https", host: "cdn.example", port: 443, path: "/a.iso")
        return DownloadRequest(url: source)
    }

    static func download(_ state: DownloadState = .queued, request: DownloadRequest = request()) throws -> Download {
        let created = Timestamp(milliseconds: 1_767_323_045_678)
        let times = Download.Times(createdAt: created, deadlineAt: created + .seconds(604_800))
        return Download(id: try #require(DownloadID(id)), request: request, state: state, times: times)
    }

    /// With every member set that can be.
    static func full(_ state: DownloadState = .completed) throws -> Download {
        var request = request()
        request.session = SessionName("com.example.sync")
        request.directory = try RelativeDirectory(validating: "isos/debian")
        request.filename = try FileName(validating: "a.iso")
        request.summary = RequestSummary(
            headerNames: ["Authorization", "X-\"odd\""],
            cookieNames: ["sid"],
            scheme: .digest,
            postedBytes: 12
        )
        request.mirrors = ["https://mirror.example/a.iso"]
        request.refreshURL = "https://links.example/fresh?token=1"
        request.maxBytes = 10
        request.rateBytesPerSecond = 65_536
        request.maxAttempts = 8
        request.priority = Priority(clamping: -7)
        request.notBefore = Timestamp(milliseconds: 1_767_323_045_999)
        request.labels = JSONText(canonical: #"{"env":"prod"}"#)
        request.metadata = JSONText(canonical: #"{"tags":["linux"]}"#)
        request.dedupeKey = "key"
        let digest = try #require(Digest(algorithm: .md5, hex: String(repeating: "ab", count: 16)))
        request.expected = Expected(sizeBytes: 73_400_320, digests: [digest])
        var download = try download(state, request: request)
        download.progress = Download.Progress(durableBytes: 7, totalBytes: 73_400_320, resumedFromBytes: 1)
        download.source.finalURL = "https://u:p@mirror.example/a.iso?token=1#x"
        download.source.etag = "\"abc\""
        download.file = PublishedFile(
            path: "isos/debian/a (1).iso",
            digests: [digest],
            identity: .file(size: 73_400_320, modified: nil)
        )
        let error = DownloadError(.timeout, message: "Too \"slow\".", httpStatus: 504, curlCode: 28)
        let at = Timestamp(milliseconds: 1_767_323_046_000)
        download.error = DownloadFailure(error: error, isRetried: true, attempt: 1, at: at)
        return download
    }
}

/// What `openapi.yaml` says, by name.
enum Description {
    /// What stands at a path of names.
    static func at(_ path: String...) throws -> JSONValue {
        var value = Contract.shared.root
        for name in path { value = try #require(value[name], "no \(name) in \(path)") }
        return value
    }

    static func schema(_ name: String) throws -> JSONValue { try at("components", "schemas", name) }

    static func example(_ name: String) throws -> JSONValue { try at("components", "examples", name, "value") }
}

extension JSONValue {
    var bytes: [UInt8] { Array(canonical.utf8) }
}
