public import Core
import Synchronization
public import TestSupport
public import Transfer

/// Keeps what an attempt records, in the order it came, and answers as a test wants.
public final class MemoryCheckpointSink: CheckpointSink {
    public enum Entry: Equatable, Sendable {
        case checkpoint(Checkpoint)
        case restart(reason: String)
        case publish(PublishedFile, Checkpoint)
        case refusesRanges(String)
        case damage(PartDamage)
    }

    /// A call that a script may answer, before it is recorded.
    public enum Call: Hashable, Sendable {
        case checkpoint
        case restart
        case publish
    }

    public enum Reply: Sendable {
        case record
        case lost
        case fail
        case taken
    }

    public struct Failure: Error {}

    public typealias Script = @Sendable (Call, Entry) async -> Reply

    private struct State {
        var entries: [Entry] = []
        var assignment: Assignment?
        var completed: [String: Download] = [:]
        var pathsOfOthers: Set<String> = []
    }

    private let state = Mutex(State())
    /// Posted after each entry.
    public let changes = Changes()
    private let script: Script
    private let largest: Int64

    /// - Parameter largest: The size of the largest file that is admitted.
    public init(largest: Int64 = .max, script: @escaping Script = { _, _ in .record }) {
        self.largest = largest
        self.script = script
    }

    public var entries: [Entry] { state.withLock { $0.entries } }

    /// What the next attempt is given: the assignment of the last one with what was recorded since.
    public var assignment: Assignment? {
        get { state.withLock { $0.assignment } }
        set { state.withLock { $0.assignment = newValue } }
    }

    /// The last completed download of each path.
    public var completed: [String: Download] {
        get { state.withLock { $0.completed } }
        set { state.withLock { $0.completed = newValue } }
    }

    /// The paths of other downloads' files.
    public var pathsOfOthers: Set<String> {
        get { state.withLock { $0.pathsOfOthers } }
        set { state.withLock { $0.pathsOfOthers = newValue } }
    }

    public func isFileOfAnother(at path: String) async throws -> Bool { pathsOfOthers.contains(path) }

    public func lastCompleted(at path: String) async throws -> Download? { completed[path] }

    public var storesBlocks: Bool { true }

    public func admits(total: Int64) async throws -> Bool { total <= largest }

    public func checkpoint(_ checkpoint: Checkpoint) async throws -> FencedResult<Void> {
        try await reply(.checkpoint, .checkpoint(checkpoint)) { $0.apply(checkpoint) }.map { _ in }
    }

    public func restart(reason: String, isChange: Bool) async throws -> FencedResult<Int> {
        try await reply(.restart, .restart(reason: reason)) { assignment in
            assignment.download.generation += 1
            assignment.download.attempts.recordRestart(reason: reason, isChange: isChange)
            assignment.download.forgetBytes()
            assignment.segments = []
            assignment.blocks = []
        }
        .map { _ in self.assignment?.download.generation ?? 0 }
    }

    public func publish(_ file: PublishedFile, _ checkpoint: Checkpoint) async throws -> FencedResult<Bool> {
        try await reply(.publish, .publish(file, checkpoint)) { assignment in
            assignment.apply(checkpoint)
            assignment.download.file = file
        }
    }

    public func recordDamage(_ damage: PartDamage) async {
        state.withLock { $0.entries.append(.damage(damage)) }
        changes.post()
    }

    public func recordHostRefusesRanges(_ authority: String) async throws {
        state.withLock {
            $0.entries.append(.refusesRanges(authority))
            // A mirror that refuses them says nothing of the host that is asked first.
            if authority == $0.assignment?.download.request.url.authority { $0.assignment?.hostRefusesRanges = true }
        }
        changes.post()
    }

    private func reply(
        _ call: Call,
        _ entry: Entry,
        recording change: @Sendable (inout Assignment) -> Void
    ) async throws -> FencedResult<Bool> {
        switch await script(call, entry) {
        case .lost: return .lost
        case .fail: throw Failure()
        case .taken: return .done(false)
        case .record: break
        }
        state.withLock { state in
            state.entries.append(entry)
            if state.assignment != nil { change(&state.assignment!) }
        }
        changes.post()
        return .done(true)
    }
}

extension MemoryCheckpointSink {
    public var checkpoints: [Checkpoint] {
        entries.compactMap { if case .checkpoint(let checkpoint) = $0 { checkpoint } else { nil } }
    }

    public var restarts: [String] {
        entries.compactMap { if case .restart(let reason) = $0 { reason } else { nil } }
    }

    public var published: [PublishedFile] {
        entries.compactMap { if case .publish(let file, _) = $0 { file } else { nil } }
    }

    public var damages: [PartDamage] {
        entries.compactMap { if case .damage(let damage) = $0 { damage } else { nil } }
    }

    public var refusedHosts: [String] {
        entries.compactMap { if case .refusesRanges(let authority) = $0 { authority } else { nil } }
    }
}

extension Checkpoint {
    public var durableEnd: Int64 { segments.map(\.durableEnd).max() ?? 0 }
}

extension Assignment {
    fileprivate mutating func apply(_ checkpoint: Checkpoint) {
        download.source = checkpoint.source
        download.progress.totalBytes = checkpoint.totalBytes
        segments = checkpoint.segments
        let starts = Set(checkpoint.forgottenBlocks + checkpoint.blocks.map(\.start))
        blocks = (blocks.filter { !starts.contains($0.start) } + checkpoint.blocks).sorted { $0.start < $1.start }
    }
}

extension FencedResult {
    fileprivate func map<Other>(_ change: (Value) -> Other) -> FencedResult<Other> {
        switch self {
        case .done(let value): .done(change(value))
        case .lost: .lost
        }
    }
}
