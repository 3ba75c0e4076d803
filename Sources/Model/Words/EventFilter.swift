/// Which events of the log are shown.
public struct EventFilter: Hashable, Sendable {
    /// Any of these; nil for all.
    public var types: Set<EventType>?
    /// Those of this session and of its downloads.
    public var session: SessionName?
    public var download: DownloadID?

    public init(types: Set<EventType>? = nil, session: SessionName? = nil, download: DownloadID? = nil) {
        self.types = types
        self.session = session
        self.download = download
    }

    public func includes(_ event: LoggedEvent) -> Bool {
        if let types, !types.contains(event.type) { return false }
        return concerns(download: event.download, of: event.session)
    }

    /// Whether it is about such a download, whatever happened to it.
    public func concerns(download id: DownloadID?, of name: SessionName?) -> Bool {
        if let download, download != id { return false }
        if let session, session != name { return false }
        return true
    }
}
