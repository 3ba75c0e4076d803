import Core
import TestSupport

extension Download {
    static let start = Timestamp(milliseconds: 1_000_000)

    static func at(_ seconds: Int64) -> Timestamp { start + .seconds(seconds) }

    /// A download whose deadline is a minute after its creation.
    static func sample(
        _ state: DownloadState,
        session: String? = nil,
        _ change: (inout Download) -> Void = { _ in }
    ) -> Download {
        with(
            Download(
                id: DownloadID(first: start),
                request: with(DownloadRequest(url: "https://a.example/file")) {
                    $0.session = session.flatMap { SessionName($0) }
                },
                state: state,
                times: Times(createdAt: start, deadlineAt: at(60))
            )
        ) {
            if state == .waiting { $0.waitingFor = .retry }
            if state == .running { $0.phase = .transferring }
            if state == .paused { $0.times.pausedAt = start }
            if state.isTerminal { $0.times.finishedAt = start }
            change(&$0)
        }
    }
}

extension PublishedFile {
    static func sample(_ path: String = "file") -> Self {
        PublishedFile(path: path, digests: [], identity: .file(size: 10, modified: nil))
    }
}

extension DownloadURL {
    static let sealed = DownloadURL(
        text: "https://hook.example/done? \(String(repeating: "x", count: 40))",
        scheme: "https",
        host: "hook.example",
        port: 443,
        path: "/done"
    )
}
