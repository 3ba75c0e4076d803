import Core

/// What one `session.finished` says, but for the number of the last event, in a text that can be stored and compared.
struct DrainRecord: Hashable, CustomStringConvertible {
    var epoch: Int64
    var isSealed = false
    var completed = 0
    var failed = 0
    var cancelled = 0
    var receivedBytes: Int64 = 0
    var startedAt: Timestamp
    var finishedAt: Timestamp
    var failedIDs: [String] = []

    var description: String {
        let numbers = [epoch, isSealed ? 1 : 0, Int64(completed), Int64(failed), Int64(cancelled), receivedBytes]
        let times = [startedAt.milliseconds, finishedAt.milliseconds]
        return ((numbers + times).map(String.init) + failedIDs).joined(separator: " ")
    }

    init(epoch: Int64, startedAt: Timestamp, finishedAt: Timestamp) {
        self.epoch = epoch
        self.startedAt = startedAt
        self.finishedAt = finishedAt
    }

    init(_ drain: SessionDrain) {
        self.init(epoch: drain.epoch, startedAt: drain.startedAt, finishedAt: drain.finishedAt)
        isSealed = drain.isSealed
        completed = drain.counts[.completed] ?? 0
        failed = drain.counts[.failed] ?? 0
        cancelled = drain.counts[.cancelled] ?? 0
        receivedBytes = drain.receivedBytes
        failedIDs = drain.failed.map(\.text)
    }
}
