import Linux
import Model

/// Computes the digests of a part file's blocks from what the file holds.
struct BlockHasher: Sendable {
    let file: File
    let grid: BlockGrid
    let pool: BlockingPool

    private static let bufferBytes = 256 << 10
    /// Read in one go while a part is checked, so that a large file does not keep a thread from others.
    private static let blocksPerJob = 8

    /// The digests of blocks that were just written and are still in the page cache.
    func digests(of numbers: [Int]) async -> Result<[BlockDigest], SystemError> {
        guard !numbers.isEmpty else { return .success([]) }
        do throws(SystemError) {
            return .success(
                try await pool.run { () throws(SystemError) in
                    var buffer = [UInt8](repeating: 0, count: Self.bufferBytes)
                    var digests: [BlockDigest] = []
                    for number in numbers {
                        // The file is shorter than what was written to it: the disk cannot be trusted.
                        guard let value = try value(of: number, &buffer) else {
                            throw SystemError(code: 5, call: "pread")
                        }
                        digests.append(BlockDigest(number: number, value: value))
                    }
                    return digests
                }
            )
        } catch {
            return .failure(error)
        }
    }

    /// Those of `blocks` whose bytes are not what they were, or cannot be read: writing them anew is what mends a bad
    /// sector.
    ///
    /// - Parameter onAdvance: Is told how many bytes of them are compared, at once and after each job.
    /// - Returns: nil where the task is cancelled meanwhile: reading a large file takes minutes.
    func damaged(among blocks: [BlockDigest], onAdvance: (Int64) -> Void) async throws(SystemError) -> [Int]? {
        var damaged: [Int] = []
        var compared: Int64 = 0
        onAdvance(compared)
        var rest = blocks[...]
        while !rest.isEmpty {
            if Task.isCancelled { return nil }
            let job = rest.prefix(Self.blocksPerJob)
            rest = rest.dropFirst(Self.blocksPerJob)
            damaged += try await pool.run { () throws(SystemError) in try damagedNow(among: job) }
            for block in job { compared += Int64(grid.range(of: block.number)?.count ?? 0) }
            onAdvance(compared)
        }
        return damaged
    }

    private func damagedNow(among blocks: ArraySlice<BlockDigest>) throws(SystemError) -> [Int] {
        var buffer = [UInt8](repeating: 0, count: Self.bufferBytes)
        var damaged: [Int] = []
        for block in blocks {
            do throws(SystemError) {
                if try value(of: block.number, &buffer) != block.value { damaged.append(block.number) }
            } catch {
                guard error.isInputOutput else { throw error }
                damaged.append(block.number)
            }
        }
        return damaged
    }

    /// - Returns: nil where the file ends before the block does.
    private func value(of number: Int, _ buffer: inout [UInt8]) throws(SystemError) -> UInt64? {
        guard let block = grid.range(of: number) else { return nil }
        var hash = XXH64()
        var offset = block.lowerBound
        while offset < block.upperBound {
            let read = try file.read(into: &buffer, at: offset)
            guard read > 0 else { return nil }
            let count = Int(min(Int64(read), block.upperBound - offset))
            // The array outlives the call.
            unsafe hash.update(buffer.span.bytes.extracting(first: count))
            offset += Int64(count)
        }
        return hash.value
    }
}
