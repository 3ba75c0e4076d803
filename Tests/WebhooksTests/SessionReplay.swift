/// The events of a session played again, to see whether it finished whenever it drained.
struct SessionReplay {
    struct Entry: Sendable {
        let sequence: Int64
        let type: String
        let download: String?
        let sessionEpoch: Int64?
        let isTerminal: Bool
    }

    private(set) var drains: Int64 = 0
    private(set) var fault: String?
    private var open: Set<String> = []
    private var mustFinish = false

    init(_ entries: [Entry]) {
        for entry in entries where fault == nil { take(entry) }
        if fault == nil, mustFinish { fault = "drain \(drains + 1) is untold" }
    }

    private mutating func take(_ entry: Entry) {
        guard let download = entry.download else {
            drains += 1
            if !mustFinish || entry.sessionEpoch != drains { fault = "drain \(drains) is told at \(entry.sequence)" }
            mustFinish = false
            return
        }
        if mustFinish { fault = "\(entry.type) at \(entry.sequence) comes before the drain is told" }
        if entry.isTerminal {
            open.remove(download)
            mustFinish = open.isEmpty
        } else if entry.type == "download.created" || entry.type == "download.resumed" {
            open.insert(download)
        }
    }
}
