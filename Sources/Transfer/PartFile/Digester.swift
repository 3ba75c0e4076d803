import Core
import HTTPFields
import Linux
import Synchronization

/// Computes the digests of a part file while the transfer writes it. A thread of the blocking pool reads the written
/// bytes back while they are in the page cache.
///
/// The digester never delays the transfer. Bytes that it has not read when the transfer ends are read then.
final class Digester: Sendable {
    fileprivate struct State {
        /// nil while a job uses them.
        var hashers: [FileHasher]?
        var hashedEnd: Int64 = 0
        var writtenEnd: Int64 = 0
        var failure: SystemError?
        var finish: Finish?
        var isAbandoned = false
    }

    let algorithms: [DigestAlgorithm]
    private let file: File
    private let pool: BlockingPool
    private let state: Mutex<State>

    /// The maximum number of bytes per job, so that a large file does not block a thread of the pool for long.
    private static let jobBytes: Int64 = 8 << 20
    /// The minimum number of bytes for a job while the transfer runs.
    private static let leastBytes: Int64 = 1 << 20
    /// Larger ones leave the processor's cache, and malloc(3) maps their memory anew for each job.
    private static let bufferBytes = 64 << 10

    /// - Parameter algorithms: If empty, nothing is read.
    init(_ file: File, algorithms: [DigestAlgorithm], pool: BlockingPool) {
        self.algorithms = algorithms
        self.file = file
        self.pool = pool
        state = Mutex(State(hashers: algorithms.map(FileHasher.init)))
    }

    /// Records that all bytes before `offset` are written.
    func advance(to offset: Int64) {
        let job = state.withLock { state in
            state.writtenEnd = max(state.writtenEnd, offset)
            return state.writtenEnd - state.hashedEnd >= Self.leastBytes ? state.removeHashers() : nil
        }
        if let job { submit(job) }
    }

    /// Hashes the rest of a file of `size` bytes.
    ///
    /// - Parameter onAdvance: Called with the number of hashed bytes, first immediately and then after each job.
    /// - Returns: The digests, or nil if the task is cancelled, because hashing may take minutes.
    func finish(
        size: Int64,
        onAdvance: @escaping @Sendable (Int64) -> Void = { _ in }
    ) async throws(SystemError) -> [Digest]? {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                finish(size: size, Finish(continuation: continuation, onAdvance: onAdvance))
            }
        } onCancel: {
            abandon()
        }
        return try result.get()
    }

    private func finish(size: Int64, _ finish: Finish) {
        let (job, hashedEnd, isAbandoned) = state.withLock { state -> ([FileHasher]?, Int64, Bool) in
            guard !state.isAbandoned else { return (nil, 0, true) }
            state.writtenEnd = size
            state.finish = finish
            return (state.removeHashers(), state.hashedEnd, false)
        }
        guard !isAbandoned else { return finish.continuation.resume(returning: .success(nil)) }
        finish.onAdvance(hashedEnd)
        if let job { submit(job) }
    }

    private func abandon() {
        let finish = state.withLock { state in
            state.isAbandoned = true
            defer { state.finish = nil }
            return state.finish
        }
        finish?.continuation.resume(returning: .success(nil))
    }

    private func submit(_ hashers: [FileHasher]) {
        pool.submit { self.work(hashers) }
    }

    /// Hashes the bytes of one job, then submits the next job or ends.
    private func work(_ given: [FileHasher]) {
        var hashers = given
        var failure: SystemError?
        let (start, end) = state.withLock { ($0.hashedEnd, min($0.writtenEnd, $0.hashedEnd + Self.jobBytes)) }
        if !hashers.isEmpty {
            do throws(SystemError) {
                try hash(start..<end, into: &hashers)
            } catch {
                failure = error
            }
        }
        finish(hashers, end: hashers.isEmpty ? .max : end, failure)
    }

    private func finish(_ hashers: [FileHasher], end: Int64, _ failure: SystemError?) {
        let (step, finish, hashedEnd) = state.withLock { state -> (Step, Finish?, Int64) in
            state.hashers = hashers
            state.hashedEnd = min(end, state.writtenEnd)
            state.failure = state.failure ?? failure
            let finish = state.finish
            return (state.next(leastBytes: Self.leastBytes), finish, state.hashedEnd)
        }
        if failure == nil { finish?.onAdvance(hashedEnd) }
        switch step {
        case .rest: break
        case .proceed(let hashers): submit(hashers)
        case .end(let finish, let result): finish.continuation.resume(returning: result)
        }
    }

    private func hash(_ range: Range<Int64>, into hashers: inout [FileHasher]) throws(SystemError) {
        var buffer = [UInt8](
            repeating: 0,
            count: Int(min(Int64(Self.bufferBytes), range.upperBound - range.lowerBound))
        )
        var offset = range.lowerBound
        while offset < range.upperBound {
            let read = try file.read(into: &buffer, at: offset)
            // The file is shorter than the bytes written to it, so the disk cannot be trusted.
            guard read > 0 else { throw SystemError(code: 5, call: "pread") }
            let count = Int(min(Int64(read), range.upperBound - offset))
            for index in hashers.indices { hashers[index].update(buffer[..<count]) }
            offset += Int64(count)
        }
    }
}

extension Digester {
    /// The caller that waits for the digests.
    fileprivate struct Finish {
        let continuation: CheckedContinuation<Result<[Digest]?, SystemError>, Never>
        let onAdvance: @Sendable (Int64) -> Void
    }

    /// The step after a job.
    fileprivate enum Step {
        case rest
        case proceed([FileHasher])
        case end(Finish, Result<[Digest]?, SystemError>)
    }
}

extension Digester.State {
    fileprivate mutating func removeHashers() -> [FileHasher]? {
        defer { hashers = nil }
        return hashers
    }

    fileprivate mutating func next(leastBytes: Int64) -> Digester.Step {
        let left = writtenEnd - hashedEnd
        if let finish, failure != nil || left == 0 {
            self.finish = nil
            let digests = (hashers ?? []).map(\.digest)
            return .end(finish, failure.map { .failure($0) } ?? .success(digests))
        }
        guard !isAbandoned, failure == nil, left > 0, finish != nil || left >= leastBytes, let hashers = removeHashers()
        else {
            return .rest
        }
        return .proceed(hashers)
    }
}
