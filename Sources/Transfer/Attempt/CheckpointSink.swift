public import Core

/// Records the durable progress of an attempt: in the service's store, or in a state file beside the target (`get`).
///
/// Each call returns once the record is durable. `lost` means that the claim has ended; the attempt then stops and
/// writes nothing more.
public protocol CheckpointSink: Sendable {
    /// Whether it stores block digests. Otherwise none are computed.
    var storesBlocks: Bool { get }
    /// Whether the session has room for a file of this size, in bytes. Nothing is reserved.
    func admits(total: Int64) async throws -> Bool
    /// Records bytes that are durable.
    func checkpoint(_ checkpoint: Checkpoint) async throws -> FencedResult<Void>
    /// Records that the stored bytes are dropped.
    ///
    /// - Parameter isChange: Whether the origin's file had changed.
    /// - Returns: The new generation.
    func restart(reason: String, isChange: Bool) async throws -> FencedResult<Int>
    /// Records that the finished file is about to be moved to its place.
    ///
    /// - Returns: false if another download is about to take the name.
    func publish(_ file: PublishedFile, _ checkpoint: Checkpoint) async throws -> FencedResult<Bool>
    /// Reports bytes of the part file that changed after they were recorded, and are fetched again.
    func recordDamage(_ damage: PartDamage) async
    /// Records that a host answered a range with the whole file.
    func recordHostRefusesRanges(_ authority: String) async throws
}

extension CheckpointSink {
    public func admits(total: Int64) async throws -> Bool { true }
}
