import Dispatch
import Glibc
import Synchronization

/// A pool of read-only connections. If none is idle, a read waits, but not on the caller's thread.
///
/// Long reads take turns, so that they leave connections and processor cores for the short reads of others.
final class Readers: Sendable {
    /// How long a read may take.
    enum Length {
        case short
        /// It may examine thousands of rows, and its caller can wait: a count, or a step of an operation.
        case long
    }

    private let state: Mutex<State>
    /// Opens one more connection. Each takes about half a MiB, so it is opened when it is first needed.
    private let open: @Sendable () throws -> any ReadingConnection
    private let isLocal: Bool
    /// Called when the database is damaged.
    private let recordDamage: @Sendable (StoreError) -> Void

    /// - Parameters:
    ///   - first: The connection that is never missing, even if no other one can be opened.
    ///   - cores: The number of processor cores.
    ///   - isLocal: As ``StoreEngine/isLocal``.
    init(
        first: any ReadingConnection,
        cores: Int = sysconf(Int32(_SC_NPROCESSORS_ONLN)),
        open: @escaping @Sendable () throws -> any ReadingConnection,
        isLocal: Bool = true,
        recordDamage: @escaping @Sendable (StoreError) -> Void
    ) {
        state = Mutex(State(first: first, cores: cores))
        self.open = open
        self.isLocal = isLocal
        self.recordDamage = recordDamage
    }

    /// Runs `body`. Each statement sees one commit, but two statements may see different ones: use
    /// ``readSnapshot(_:_:)`` where they must agree.
    func read<Value: Sendable>(
        _ length: Length = .short,
        _ body: @escaping @Sendable (any Database) throws -> Value
    ) async throws -> Value {
        try await use(length) { try $0.read(body) }
    }

    /// Runs `body`, which looks up a row by its key, on the caller's own thread if the database is local and a
    /// connection is idle. The lookup takes a few microseconds; a switch to another thread and back takes ten times as
    /// long.
    func lookUp<Value: Sendable>(_ body: @escaping @Sendable (any Database) throws -> Value) async throws -> Value {
        guard isLocal, let connection = state.withLock({ $0.takeIdle() }) else { return try await read(.short, body) }
        defer { start(state.withLock { $0.finish(.short, connection) }) }
        return try use(connection) { try $0.read(body) }
    }

    /// Runs `body` on one snapshot of the database.
    func readSnapshot<Value: Sendable>(
        _ length: Length = .short,
        _ body: @escaping @Sendable (any Database) throws -> Value
    ) async throws -> Value {
        try await use(length) { try $0.readSnapshot(body) }
    }

    private func use<Value: Sendable>(
        _ length: Length,
        _ body: @escaping @Sendable (any ReadingConnection) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let job = Job(length: length) { connection in
                let result = Result { try self.use(connection, body) }
                return { continuation.resume(with: result) }
            }
            start(state.withLock { $0.submit(job) })
        }
    }

    private func start(_ turn: Turn?) {
        guard let turn else { return }
        // A serial queue of its own gets a thread at once. A concurrent queue has as many threads as there are cores,
        // and a short read would wait for the long ones that occupy them.
        DispatchQueue(label: "cormorant.store.read").async { self.runFrom(turn) }
    }

    /// Runs a read and then those that waited for its connection.
    private func runFrom(_ first: Turn) {
        var next: Turn? = first
        while let turn = next {
            if let connection = turn.connection ?? (try? open()) {
                let answer = turn.job.body(connection)
                // Before the answer, so that a caller that reads again at once finds the connection.
                next = state.withLock { $0.finish(turn.job.length, connection) }
                answer()
            } else {
                next = state.withLock { $0.putBack(turn.job) }
            }
        }
    }

    private func use<Value>(
        _ connection: any ReadingConnection,
        _ body: (any ReadingConnection) throws -> Value
    ) throws -> Value {
        do {
            return try body(connection)
        } catch let failure as StoreError where failure.endsService {
            recordDamage(failure)
            throw failure
        }
    }
}

extension Readers {
    private struct Job: Sendable {
        let length: Length
        /// Reads, and returns what hands the result over.
        let body: @Sendable (any ReadingConnection) -> () -> Void
    }

    /// A read that begins.
    private struct Turn {
        let job: Job
        /// nil if a connection must be opened for it.
        let connection: (any ReadingConnection)?
    }

    /// Which connections are idle, and which reads wait for one.
    private struct State {
        /// The most connections.
        private static let most = 4

        private var idle: [any ReadingConnection]
        /// The number of connections, with those that are being opened.
        private var count = 1
        /// The most connections for now. It is lower after one could not be opened, for example because the process has
        /// no more file descriptors, until no read waits and all connections are idle.
        private var limit = State.most
        /// In the order of their arrival.
        private var waiting: [Job] = []
        private var longReads = 0
        /// The most long reads at once: one core and one connection remain for the others, if there are two.
        private let longLimit: Int

        init(first: any ReadingConnection, cores: Int) {
            idle = [first]
            longLimit = max(1, cores - 1)
        }

        /// - Returns: The read that begins now; nil if it must wait.
        mutating func submit(_ job: Job) -> Turn? {
            waiting.append(job)
            return next()
        }

        /// An idle connection for a short read.
        mutating func takeIdle() -> (any ReadingConnection)? { idle.popLast() }

        /// Ends a read.
        ///
        /// - Returns: The read that begins now; nil if none waits that may begin.
        mutating func finish(_ length: Length, _ connection: any ReadingConnection) -> Turn? {
            if length == .long { longReads -= 1 }
            idle.append(connection)
            if idle.count == count, waiting.isEmpty { limit = State.most }
            return next()
        }

        /// Puts a read back to the front, because no connection could be opened for it.
        ///
        /// - Returns: The read that begins now; nil if all connections are busy.
        mutating func putBack(_ job: Job) -> Turn? {
            if job.length == .long { longReads -= 1 }
            count -= 1
            limit = count
            waiting.insert(job, at: 0)
            return next()
        }

        private mutating func next() -> Turn? {
            let mayBeLong = longReads < min(longLimit, max(1, limit - 1))
            guard !idle.isEmpty || count < limit,
                let index = waiting.firstIndex(where: { $0.length == .short || mayBeLong })
            else { return nil }
            let job = waiting.remove(at: index)
            if job.length == .long { longReads += 1 }
            let connection = idle.popLast()
            if connection == nil { count += 1 }
            return Turn(job: job, connection: connection)
        }
    }
}
