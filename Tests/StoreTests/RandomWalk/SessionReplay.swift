import GRDB

/// A session's events played again, to see whether it finished when it should have.
struct SessionReplay {
    private var open: Set<String> = []
    private var drains: Int64 = 0
    /// Its last download has ended, so the next event must say so.
    private(set) var mustFinish = false
    private(set) var fault: String?

    mutating func take(_ event: Row) {
        let type: String = event["type"]
        if type == "session.finished" {
            drains += 1
            let number: Int64? = event["session_epoch"]
            if !mustFinish || number != drains { fault = "drain \(drains) at the wrong time" }
            mustFinish = false
            return
        }
        if mustFinish { fault = "\(type) came before the session was finished" }
        guard let download: String = event["download"] else { return }
        let isTerminal: Bool = event["terminal"]
        if isTerminal {
            open.remove(download)
            mustFinish = open.isEmpty
        } else if type == "download.created" || type == "download.resumed" {
            open.insert(download)
        }
    }
}
