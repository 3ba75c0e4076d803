public import Model

/// How far a download is that a worker of this process has in hand.
public struct LiveReading: Sendable {
    public let id: DownloadID
    public let session: SessionName?
    public let reading: ProgressReading

    public init(id: DownloadID, session: SessionName?, reading: ProgressReading) {
        self.id = id
        self.session = session
        self.reading = reading
    }
}
