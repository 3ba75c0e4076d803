import Core
import Synchronization
import Transfer
import TransferRules

/// Whether every byte that is recorded has a digest, as the records come.
public final class Coverage: Sendable {
    private struct State {
        var blocks: [Int64: BlockDigest] = [:]
        var faults: [String] = []
    }

    private let state = Mutex(State())

    public init() {}

    public var faults: [String] { state.withLock { $0.faults } }

    public func record(_ entry: MemoryCheckpointSink.Entry) {
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
