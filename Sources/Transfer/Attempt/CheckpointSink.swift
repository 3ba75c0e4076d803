public import Core

/// Records the durable progress of an attempt: in the service's store, or in a state file next to the target (`get`).
///
/// Each call returns when the record is durable. The result `lost` means that the claim has ended; the attempt then
/// stops and writes nothing more.
public protocol CheckpointSink: Sendable {
    /// Whether the sink stores block digests. If not, none are computed.
    var storesBlocks: Bool { get }
    /// Whether the session's quota has room for a file of this size, in bytes. Nothing is reserved.
    func admits(total: Int64) async throws -> Bool
    /// Records durable bytes.
    func checkpoint(_ checkpoint: Checkpoint) async throws -> FencedResult<Void>
    /// Records that the stored bytes were dropped.
    ///
    /// - Parameter isChange: Whether the file changed at the origin.
    /// - Returns: The new generation.
    func restart(reason: String, isChange: Bool) async throws -> FencedResult<Int>
    /// Records that the finished file is about to be moved to its final path.
    ///
    /// - Returns: false if another download is about to use the same name.
    func publish(_ file: PublishedFile, _ checkpoint: Checkpoint) async throws -> FencedResult<Bool>
    /// The last completed download whose file has this path, if it fetched the file from the URL of this download; nil
    /// if there is none.
    func lastCompleted(at path: String) async throws -> Download?
    /// Whether another completed download has its file at this path.
    func isFileOfAnother(at path: String) async throws -> Bool
    /// Reports recorded bytes of the part file that changed and must be fetched again.
    func recordDamage(_ damage: PartDamage) async
    /// Records that a host ignored `Range` and sent the whole file.
    func recordHostRefusesRanges(_ authority: String) async throws
}

extension CheckpointSink {
    public func admits(total: Int64) async throws -> Bool { true }

    public func lastCompleted(at path: String) async throws -> Download? { nil }

    public func isFileOfAnother(at path: String) async throws -> Bool { false }
}
