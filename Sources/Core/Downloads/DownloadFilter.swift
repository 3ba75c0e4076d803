/// Which downloads a list shows, or an operation acts on.
///
/// A new member is also added to ``includes(_:)``, and to the columns of an operation (docs/decisions/0043).
public struct DownloadFilter: Hashable, Sendable {
    /// Any of these states; empty for all.
    public var states: [DownloadState]
    public var session: SessionName?
    /// Any of these; empty for all.
    public var ids: [DownloadID]

    public init(states: [DownloadState] = [], session: SessionName? = nil, ids: [DownloadID] = []) {
        self.states = states
        self.session = session
        self.ids = ids
    }

    /// Whether a download has what every member asks for.
    public func includes(_ download: Download) -> Bool {
        if !states.isEmpty, !states.contains(download.state) { return false }
        if let session, session != download.request.session { return false }
        return ids.isEmpty || ids.contains(download.id)
    }
}
