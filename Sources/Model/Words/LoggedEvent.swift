/// An event as the log has it: what finds it, and the bytes that tell of it.
public struct LoggedEvent: Hashable, Sendable {
    public let sequence: Int64
    public let id: EventID
    public let type: EventType
    public let at: Timestamp
    /// nil for the event of a session.
    public let download: DownloadID?
    public let session: SessionName?
    /// What was encoded in the transaction of the event, and is sent to webhooks as it is.
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
