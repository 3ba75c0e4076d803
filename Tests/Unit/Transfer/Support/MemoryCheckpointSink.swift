import Core
import Synchronization
import Transfer
import TransferRules

/// Keeps what an attempt records, in the order it came, and answers as a test wants.
final class MemoryCheckpointSink: CheckpointSink {
    enum Entry: Equatable {
        case checkpoint(Checkpoint)
        case restart(reason: String)
        case publish(PublishedFile, Checkpoint)
        case refusesRanges(String)
        case damage(PartDamage)
    }

    /// A call that a script may answer, before it is recorded.
    enum Call: Hashable {
        case checkpoint
        case restart
        case publish
    }

    enum Reply {
        case record
        case lost
        case fail
        case taken
    }

    struct Failure: Error {}

    typealias Script = @Sendable (Call, Entry) async -> Reply

    private struct State {
        var entries: [Entry] = []
        var assignment: Assignment?
    }

    private let state = Mutex(State())
    private let script: Script
    private let largest: Int64

    /// - Parameter largest: The size of the largest file that is admitted.
    init(largest: Int64 = .max, script: @escaping Script = { _, _ in .record }) {
        self.largest = largest
        self.script = script
    }

    var entries: [Entry] { state.withLock { $0.entries } }

    /// What the next attempt is given: the assignment of the last one with what was recorded since.
    var assignment: Assignment? {
        get { state.withLock { $0.assignment } }
        set { state.withLock { $0.assignment = newValue } }
    }

    var storesBlocks: Bool { true }

    func admits(total: Int64) async throws -> Bool { total <= largest }

    func checkpoint(_ checkpoint: Checkpoint) async throws -> FencedResult<Void> {
        try await reply(.checkpoint, .checkpoint(checkpoint)) { $0.apply(checkpoint) }.map { _ in }
    }

    func restart(reason: String, isChange: Bool) async throws -> FencedResult<Int> {
        try await reply(.restart, .restart(reason: reason)) { assignment in
            assignment.download.generation += 1
            if isChange { assignment.download.attempts.restarts += 1 }
            assignment.download.forgetBytes()
            assignment.segments = []
            assignment.blocks = []
        }
        .map { _ in self.assignment?.download.generation ?? 0 }
    }

    func publish(_ file: PublishedFile, _ checkpoint: Checkpoint) async throws -> FencedResult<Bool> {
        try await reply(.publish, .publish(file, checkpoint)) { assignment in
            assignment.apply(checkpoint)
            assignment.download.file = file
        }
    }

    func recordDamage(_ damage: PartDamage) async {
        state.withLock { $0.entries.append(.damage(damage)) }
    }

    func recordHostRefusesRanges(_ authority: String) async throws {
        state.withLock {
            $0.entries.append(.refusesRanges(authority))
            $0.assignment?.hostRefusesRanges = true
        }
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
        return .done(true)
    }
}

extension MemoryCheckpointSink {
    var checkpoints: [Checkpoint] {
        entries.compactMap { if case .checkpoint(let checkpoint) = $0 { checkpoint } else { nil } }
    }

    var restarts: [String] {
        entries.compactMap { if case .restart(let reason) = $0 { reason } else { nil } }
    }

    var published: [PublishedFile] {
        entries.compactMap { if case .publish(let file, _) = $0 { file } else { nil } }
    }

    var damages: [PartDamage] {
        entries.compactMap { if case .damage(let damage) = $0 { damage } else { nil } }
    }

    var refusedHosts: [String] {
        entries.compactMap { if case .refusesRanges(let authority) = $0 { authority } else { nil } }
    }
}

extension Checkpoint {
    var durableEnd: Int64 { segments.map(\.durableEnd).max() ?? 0 }
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

/// Whether every byte that is recorded has a digest, as the records come.
final class Coverage: Sendable {
    private struct State {
        var blocks: [Int64: BlockDigest] = [:]
        var faults: [String] = []
    }

    private let state = Mutex(State())

    var faults: [String] { state.withLock { $0.faults } }

    func record(_ entry: MemoryCheckpointSink.Entry) {
        state.withLock { state in
            switch entry {
            case .restart: state.blocks = [:]
            case .checkpoint(let checkpoint):
                for start in checkpoint.forgottenBlocks { state.blocks[start] = nil }
                for block in checkpoint.blocks { state.blocks[block.start] = block }
                let blocks = state.blocks.values.sorted { $0.start < $1.start }
                if zip(blocks, blocks.dropFirst()).contains(where: { $0.end > $1.start }) {
                    state.faults.append("digests of the same bytes: \(blocks)")
                }
                let durable = checkpoint.segments.durableRanges
                let covered = blocks.reduce(0) { $0 + $1.range.count }
                if covered != durable.reduce(0, { $0 + $1.count })
                    || !blocks.allSatisfy({ block in durable.contains { $0.contains(block.range) } })
                {
                    state.faults.append("\(durable) is recorded with \(blocks.map(\.range))")
                }
            case .publish, .refusesRanges, .damage: break
            }
        }
    }
}
