/// The events of a session and the moves to and from it played again, to see whether it finished when it should have.
public struct SessionReplay: Sendable {
    private var open: Set<String> = []
    private var finishes: Int64 = 0
    /// Its last download has ended or left, so the next event must say so.
    public private(set) var mustFinish = false
    public private(set) var fault: String?

    /// What the log, or a record of moves, says of a session.
    public struct Event: Sendable {
        public static let columns = ["seq", "type", "download", "session", "session_epoch", "terminal"]

        public let sequence: Int64
        public let type: String
        let download: String?
        let session: String
        let epoch: Int64?
        let isTerminal: Bool

        /// - Parameter row: The values of ``columns``.
        public init(_ row: [String?]) {
            sequence = row[0].flatMap(Int64.init) ?? 0
            type = row[1] ?? ""
            download = row[2]
            session = row[3] ?? ""
            epoch = row[4].flatMap(Int64.init)
            isTerminal = row[5] == "1"
        }
    }

    public init() {}

    public mutating func apply(_ event: Event) {
        if event.type == "session.finished" {
            finishes += 1
            if !mustFinish || event.epoch != finishes { fault = "the end of epoch \(finishes) at the wrong time" }
            mustFinish = false
            return
        }
        if mustFinish { fault = "\(event.type) came before the session was finished" }
        guard let download = event.download else { return }
        if event.isTerminal || event.type == "left" {
            open.remove(download)
            mustFinish = open.isEmpty
        } else if ["download.created", "download.resumed", "entered"].contains(event.type) {
            open.insert(download)
        }
    }
}
