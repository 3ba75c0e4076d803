import Dispatch
import GRDB
import Synchronization
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(1)))
struct ReadersTests {
    /// Counts the connections that were opened after the first one.
    private final class Opener: Sendable {
        let count = Atomic<Int>(0)
        let isRefused: Bool

        init(isRefused: Bool = false) { self.isRefused = isRefused }

        func open() throws -> DatabaseQueue {
            guard !isRefused else { throw DatabaseError(resultCode: .SQLITE_CANTOPEN) }
            count.add(1, ordering: .relaxed)
            return try DatabaseQueue()
        }
    }

    private func readers(_ opener: Opener) throws -> Readers {
        Readers(first: try DatabaseQueue(), open: opener.open) { _ in }
    }

    @Test func oneReadAfterTheOtherUsesOneConnection() async throws {
        let opener = Opener()
        let readers = try readers(opener)
        for number in 0..<8 {
            #expect(try await readers.read { try Int.fetchOne($0, sql: "SELECT \(number)") } == number)
            #expect(try await readers.lookUp { try Int.fetchOne($0, sql: "SELECT \(number)") } == number)
        }

        #expect(opener.count.load(ordering: .relaxed) == 0)
    }

    @Test func fourReadsRunAtTheSameTime() async throws {
        let opener = Opener()
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

    @Test func withoutAnotherConnectionReadsShareTheFirst() async throws {
        let readers = try readers(Opener(isRefused: true))
        let numbers = try await withThrowingTaskGroup { group in
            for number in 0..<32 {
                group.addTask {
                    let sql = "SELECT \(number)"
                    return number.isMultiple(of: 2)
                        ? try await readers.read { try Int.fetchOne($0, sql: sql) }
                        : try await readers.lookUp { try Int.fetchOne($0, sql: sql) }
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }

        #expect(numbers == Set(0..<32))
    }
}
