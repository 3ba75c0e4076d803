public import Logging
public import Store

extension Logger {
    /// Says that the record of a download cannot be read, so that it stays as it is while all others go on.
    public func report(_ row: UnreadableDownload) {
        error(
            "the record of a download is unreadable: it is left alone",
            metadata: ["download.id": "\(row.id)", "error": "\(row.reason)"]
        )
    }

    /// Says that an event of the log cannot be read, so that whoever reads the log misses it, and nothing else.
    public func report(_ event: UnreadableEvent) {
        error(
            "an event of the log is unreadable: it is passed by",
            metadata: ["event.seq": "\(event.sequence)", "error": "\(event.reason)"]
        )
    }
}
