public import Core

/// Where an attempt records what it has made durable: the service's store, or a small file beside the target.
///
/// Each call returns once what it records is itself durable. `lost` means that the download was taken out of
/// the attempt's hands; the attempt then stops and writes nothing more.
public protocol CheckpointSink: Sendable {
    /// Whether it keeps the digests of blocks. Where it does not, none are computed.
    var storesBlocks: Bool { get }
    /// Whether a file of so many bytes may be kept, now that its size is known. Nothing is promised.
    func admits(total: Int64) async throws -> Bool
    /// Bytes are on the disk.
    func checkpoint(_ checkpoint: Checkpoint) async throws -> FencedResult<Void>
    /// What is stored is thrown away.
    ///
    /// - Parameter isChange: Whether the origin's file had changed.
    /// - Returns: The new generation.
    func restart(reason: String, isChange: Bool) async throws -> FencedResult<Int>
    /// The finished file is about to be moved to its place.
    ///
    /// - Returns: false where its name is about to be taken by another download.
    func publish(_ file: PublishedFile, _ checkpoint: Checkpoint) async throws -> FencedResult<Bool>
    /// Bytes of the part file are not what they were when they were recorded, and are fetched again.
    func recordDamage(_ damage: PartDamage) async
    /// A host answered a range with the whole.
    func recordHostRefusesRanges(_ authority: String) async throws
}

extension CheckpointSink {
    public func admits(total: Int64) async throws -> Bool { true }
}
