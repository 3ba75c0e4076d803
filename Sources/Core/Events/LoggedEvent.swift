/// A logged event with its encoded body.
public struct LoggedEvent: Hashable, Sendable {
    public let sequence: Int64
    public let id: EventID
    public let type: EventType
    public let at: Timestamp
    /// nil if the event is not about a download.
    public let download: DownloadID?
    public let session: SessionName?
    /// The body as sent to webhooks. It is encoded in the transaction of the event.
    public let body: [UInt8]

    public init(
        sequence: Int64,
        id: EventID,
        type: EventType,
        at: Timestamp,
        download: DownloadID?,
        session: SessionName?,
        body: [UInt8]
    ) {
        self.sequence = sequence
        self.id = id
        self.type = type
        self.at = at
        self.download = download
        self.session = session
        self.body = body
    }
}
