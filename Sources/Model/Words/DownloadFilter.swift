/// Which downloads a list shows.
public struct DownloadFilter: Hashable, Sendable {
    /// Any of these states; empty for all.
    public var states: [DownloadState]
    public var session: SessionName?

    public init(states: [DownloadState] = [], session: SessionName? = nil) {
        self.states = states
        self.session = session
    }
}
