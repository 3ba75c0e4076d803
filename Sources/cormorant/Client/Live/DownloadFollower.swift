import Client
import FoundationEssentials

/// Follows downloads by the event stream until all of them have ended, across restarts of the service.
struct DownloadFollower {
    /// Which downloads are followed.
    enum Scope: Hashable {
        case ids([String])
        /// Those of a session, until none of them is open.
        case session(String)
        /// All, without an end.
        case everything
    }

    /// What a follower says.
    enum Change {
        /// A download in its state at the start.
        case found(Client.Download)
        case changed(Client.Download, from: String)
        case progressed(Client.Download)
    }

    /// The state of a download whose record is gone.
    static let deleted = "deleted"

    let client: CormorantClient
    let scope: Scope
    private var known: [String: Client.Download] = [:]
    private var isSnapshotComplete = false
    private var inSnapshot: Set<String> = []
    /// The followed downloads that have not ended, as far as is known.
    private var open: Set<String> = []
    /// Those of ``Scope/ids(_:)``.
    private var wanted: Set<String>?

    init(client: CormorantClient, scope: Scope) {
        self.client = client
        self.scope = scope
        guard case .ids(let ids) = scope else { return }
        wanted = Set(ids)
        open = Set(ids)
    }

    private var query: EventQuery {
        switch scope {
        case .ids(let ids) where ids.count == 1: EventQuery(downloadID: ids[0])
        case .ids, .everything: EventQuery()
        case .session(let name): EventQuery(session: name)
        }
    }

    /// - Parameter report: Called for each change.
    /// - Returns: The downloads as they ended, in the order of their ids.
    mutating func run(_ report: (Change) -> Void) async throws(ClientError) -> [Client.Download] {
        for try await item in client.events(query) {
            switch item {
            case .snapshot(let downloads, let isLast):
                for download in downloads where follows(download) {
                    inSnapshot.insert(download.id)
                    update(download, report)
                }
                if isLast { try await endSnapshot(report) }
            case .progress(let reading):
                guard var download = known[reading.id], download.state == "running" else { continue }
                download.progress = reading.progress
                download.phase = reading.phase ?? download.phase
                known[reading.id] = download
                report(.progressed(download))
            case .event(let event):
                guard var download = event.download, follows(download) else { continue }
                if event.type == "download.deleted" { download.state = Self.deleted }
                update(download, report)
            case .reset:
                isSnapshotComplete = false
                inSnapshot = []
            case .end: break
            }
            if isSnapshotComplete && isFinished { break }
        }
        return known.values.sorted { $0.id < $1.id }
    }

    private var isFinished: Bool {
        scope != .everything && open.isEmpty
    }

    static func hasEnded(_ download: Client.Download) -> Bool { download.isEnded || download.state == deleted }

    private func follows(_ download: Client.Download) -> Bool {
        wanted?.contains(download.id) ?? true
    }

    private mutating func update(_ download: Client.Download, _ report: (Change) -> Void) {
        let previous = known[download.id]
        known[download.id] = download
        if Self.hasEnded(download) { open.remove(download.id) } else { open.insert(download.id) }
        guard let previous else { return report(.found(download)) }
        report(previous.state == download.state ? .progressed(download) : .changed(download, from: previous.state))
    }

    /// What a snapshot does not have has ended, or is gone.
    private mutating func endSnapshot(_ report: (Change) -> Void) async throws(ClientError) {
        isSnapshotComplete = true
        let missing = open.filter { !inSnapshot.contains($0) }.sorted()
        for start in stride(from: 0, to: missing.count, by: 100) {
            let ids = Array(missing[start..<min(start + 100, missing.count)])
            var query = DownloadQuery()
            query.filter.id = ids
            query.limit = 100
            var found: Set<String> = []
            for download in try await client.downloadPage(query).items {
                found.insert(download.id)
                update(download, report)
            }
            for id in ids where !found.contains(id) {
                var gone = known[id] ?? Client.Download(id: id, state: "")
                gone.state = Self.deleted
                update(gone, report)
            }
        }
    }
}
