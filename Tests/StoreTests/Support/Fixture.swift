import Core
import GRDB
import Store
import TestSupport

/// A store of one test's own in a folder of its own, and a second connection that looks behind it.
final class Fixture: Sendable {
    /// The instant at which tests begin.
    static let now = Timestamp(milliseconds: 1_800_000_000_000)
    static let owner = "this process"

    let folder: TemporaryFolder
    let store: Store
    let raw: DatabaseQueue

    var path: String { "\(folder.path)/store.db" }

    init() throws {
        folder = TemporaryFolder()
        store = try Self.open("\(folder.path)/store.db")
        raw = try DatabaseQueue(path: "\(folder.path)/store.db")
    }

    /// Events are encoded as their number, type, subject and form, so that a test can read them back.
    static func open(_ path: String) throws -> Store {
        try Store(path: path) { event, form in
            let subject =
                switch event.subject {
                case .download(let download, _, _): download.id.text
                case .session(let drain): "\(drain.name) \(drain.epoch)"
                case .webhook(let notice): notice.id.text
                }
            let name = form == .standard ? "" : " \(form.payload.rawValue) \(form.format.rawValue)"
            return Array("\(event.sequence) \(event.type.rawValue) \(subject)\(name)".utf8)
        }
    }

    /// The instant so many seconds after ``now``.
    static func at(_ seconds: Int64) -> Timestamp { now + .seconds(seconds) }

    static func url(host: String = "a.example", path: String = "/file") -> SourceURL {
        SourceURL(text: "https://\(host)\(path)", scheme: "https", host: host, port: 443, path: path)
    }

    static func new(
        _ request: DownloadRequest,
        starts: Bool = true,
        now: Timestamp = now
    ) -> NewDownload {
        NewDownload(id: DownloadID(at: now), request: request, starts: starts, deadlineAt: now + .seconds(86_400))
    }
}
