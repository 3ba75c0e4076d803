/// A worker's exclusive right to a download. Each write of the worker includes it, and is refused if the claim is
/// stale.
public struct Claim: Hashable, Sendable {
    public let id: DownloadID
    /// The process of the worker.
    public let node: String
    public let epoch: Int64

    public init(id: DownloadID, node: String, epoch: Int64) {
        self.id = id
        self.node = node
        self.epoch = epoch
    }
}

/// A range of a part file that one connection fills.
public struct Segment: Hashable, Sendable {
    public let index: Int
    public let start: Int64
    /// One past the last byte; nil while the size of the file is unknown.
    public var end: Int64?
    /// The bytes `start..<durableEnd` survive a power failure.
    public var durableEnd: Int64

    public init(index: Int, start: Int64, end: Int64?, durableEnd: Int64) {
        self.index = index
        self.start = start
        self.end = end
        self.durableEnd = durableEnd
    }
}

/// The store's result of a worker's write.
public enum FencedResult<Value: Sendable>: Sendable {
    case done(Value)
    /// The worker must stop: its claim is stale, or the download does not run any more. After a pause, a missed
    /// deadline or an edit that interrupts, a last checkpoint is recorded nevertheless.
    case lost
}

extension FencedResult: Equatable where Value: Equatable {}
