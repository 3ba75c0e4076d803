import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import Store

@Suite(.hangLimit)
struct ReadersTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func connection() throws -> any ReadingConnection { try DatabaseWindow.openReader(path: fixture.path) }

    /// Counts the connections that were opened after the first one.
    private final class Opener: Sendable {
        let count = Atomic<Int>(0)
        private let refusals: Atomic<Int>
        let refused: AsyncStream<Void>
        private let reportRefusal: AsyncStream<Void>.Continuation
        private let path: String

        /// - Parameter refusals: How many connections are refused before one is opened.
        init(path: String, refusals: Int = 0) {
            self.path = path
            self.refusals = Atomic(refusals)
            (refused, reportRefusal) = AsyncStream.makeStream()
        }

        func open() throws -> any ReadingConnection {
            guard refusals.subtract(1, ordering: .relaxed).newValue < 0 else {
                reportRefusal.yield()
                throw StoreError.cannotOpen("refused")
            }
            count.add(1, ordering: .relaxed)
            return try DatabaseWindow.openReader(path: path)
        }
    }

    private final class Order: Sendable {
        let names = Mutex<[String]>([])
    }

    /// Runs `body` while a read uses a connection.
    private func whileReading(
        _ readers: Readers,
        _ length: Readers.Length = .short,
        _ body: (_ end: @escaping @Sendable () -> Void) async throws -> Void
    ) async throws {
        let (begun, hasBegun) = AsyncStream<Void>.makeStream()
        let finish = DispatchSemaphore(value: 0)
        async let read: Void = readers.read(length) { _ in
            hasBegun.yield()
            finish.wait()
        }
        for await _ in begun { break }
        do {
            // Otherwise the read would go on if `body` throws.
            defer { finish.signal() }
            try await body { finish.signal() }
        }
        try await read
    }

    /// True on the threads that run a task of which it was set.
    @TaskLocal private static var isInTask = false

    private func readers(_ opener: Opener) throws -> Readers {
        Readers(first: try connection(), open: opener.open) { _ in }
    }

    @Test func sequentialReadsUseOneConnection() async throws {
        let opener = Opener(path: fixture.path)
        let readers = try readers(opener)
        for number in 0..<8 {
            #expect(try await readers.read { try $0.first(Int.self, "SELECT \(number)") } == number)
            #expect(try await readers.lookUp { try $0.first(Int.self, "SELECT \(number)") } == number)
        }

        #expect(opener.count.load(ordering: .relaxed) == 0)
    }

    /// A server may take a millisecond, in which the thread of a task would wait.
    @Test(arguments: [true, false])
    func onlyALocalDatabaseIsAskedOnTheThreadOfTheCaller(isLocal: Bool) async throws {
        let readers = Readers(
            first: try connection(),
            cores: 1,
            open: { throw StoreError.cannotOpen("refused") },
            isLocal: isLocal,
            recordDamage: { _ in }
        )
        let isInTask = try await Self.$isInTask.withValue(true) {
            try await readers.lookUp { _ in Self.isInTask }
        }

        #expect(isInTask == isLocal)
    }

    @Test func fourReadsRunAtTheSameTime() async throws {
        let opener = Opener(path: fixture.path)
        let readers = try readers(opener)
        let begun = DispatchSemaphore(value: 0)
        let finish = DispatchSemaphore(value: 0)
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    try? await readers.read { _ in
                        begun.signal()
                        finish.wait()
                    }
                }
            }
            // A thread of its own waits: it would block a task.
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    for _ in 0..<4 { begun.wait() }
                    for _ in 0..<4 { finish.signal() }
                    continuation.resume()
                }
            }
        }

        #expect(opener.count.load(ordering: .relaxed) == 3)
    }

    @Test func aLongReadWaitsForTheOneBeforeItAndAShortOneDoesNot() async throws {
        let readers = Readers(first: try connection(), cores: 2, open: Opener(path: fixture.path).open) { _ in }
        let order = Order()
        try await whileReading(readers, .long) { end in
            async let second: Void = readers.read(.long) { _ in order.names.withLock { $0.append("long") } }
            // The second long read has the time of eight short ones to begin.
            for number in 0..<8 {
                #expect(try await readers.read { try $0.first(Int.self, "SELECT \(number)") } == number)
            }
            order.names.withLock { $0.append("short") }
            end()
            try await second
        }

        #expect(order.names.withLock { $0 } == ["short", "long"])
    }

    @Test func onManyCoresLongReadsLeaveOneConnection() async throws {
        let readers = Readers(first: try connection(), cores: 64, open: Opener(path: fixture.path).open) { _ in }
        let order = Order()
        try await whileReading(readers, .long) { endFirst in
            try await whileReading(readers, .long) { endSecond in
                try await whileReading(readers, .long) { endThird in
                    async let fourth: Void = readers.read(.long) { _ in order.names.withLock { $0.append("long") } }
                    for number in 0..<8 {
                        #expect(try await readers.read { try $0.first(Int.self, "SELECT \(number)") } == number)
                    }
                    order.names.withLock { $0.append("short") }
                    for end in [endFirst, endSecond, endThird] { end() }
                    try await fourth
                }
            }
        }

        #expect(order.names.withLock { $0 } == ["short", "long"])
    }

    @Test func afterARefusalAnotherConnectionIsOpenedOnceAllAreIdle() async throws {
        let opener = Opener(path: fixture.path, refusals: 1)
        let readers = try readers(opener)
        try await whileReading(readers) { end in
            async let second: Void = readers.read { _ in }
            for await _ in opener.refused { break }
            end()
            try await second
        }
        #expect(opener.count.load(ordering: .relaxed) == 0)

        try await whileReading(readers) { end in
            try await readers.read { _ in }
            end()
        }
        #expect(opener.count.load(ordering: .relaxed) == 1)
    }

    @Test func withoutAnotherConnectionReadsShareTheFirst() async throws {
        let readers = try readers(Opener(path: fixture.path, refusals: .max))
        let numbers = try await withThrowingTaskGroup { group in
            for number in 0..<32 {
                group.addTask {
                    let sql = "SELECT \(number)"
                    return number.isMultiple(of: 2)
                        ? try await readers.read { try $0.first(Int.self, sql) }
                        : try await readers.lookUp { try $0.first(Int.self, sql) }
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }

        #expect(numbers == Set(0..<32))
    }
}
