import Core
import Testing
import TestSupport
@testable import Transfer

/// Connections that break at any byte of small and large bodies.
struct DropTests {
    struct Drop: CustomTestStringConvertible, Sendable {
        let size: Int64
        let after: Int64
        let close: Behaviour.Close

        var testDescription: String { "\(close) after \(after) of \(size)" }
    }

    static let drops = drops(by: .fin) + drops(by: .reset)

    private static func drops(by close: Behaviour.Close) -> [Drop] {
        let sizes: [Int64] = [1, 16 << 10, 300_000, (1 << 20) + 1, 3 << 20]
        return sizes.flatMap { size -> [Drop] in
            let places: Set<Int64> = [0, 1, size / 2, size - 1]
            return places.filter { $0 < size }.map { Drop(size: size, after: $0, close: close) }
        }
    }

    @Test(arguments: drops)
    func aBrokenTransferGoesOnWhereItBroke(drop: Drop) async throws {
        let script: [Behaviour] = [.dropping(after: drop.after, by: drop.close), .good]
        try await withBench(Content(size: drop.size), script: script) { bench in
            let keeper = MemoryKeeper()

            let broken = await bench.attempt(try bench.assignment(), keeper)
            let durable = keeper.checkpoints.last?.durableEnd ?? 0
            let whole = await bench.attempt(try #require(keeper.assignment), keeper)

            #expect(broken.errorCode == .connectFailed)
            #expect(broken.madeProgress == (durable > 0))
            #expect(drop.close == .fin ? durable == drop.after : durable <= drop.after)
            #expect(bench.holds(whole.file))
            #expect(whole.file?.digests == [bench.content.sha256])
            #expect(keeper.restarts.isEmpty)
        }
    }

    @Test(arguments: [Int64(0), 1, 5])
    func aFileOfManyBreaksIsWholeInTheEnd(remainder: Int64) async throws {
        let step: Int64 = 30_000
        let script: [Behaviour] = [.dropping(after: step)]
        try await withBench(Content(size: 9 * step + remainder), script: script) { bench in
            let outcomes = await bench.attempts(try bench.assignment(), atMost: 12)

            #expect(bench.holds(outcomes.last?.file))
            #expect(outcomes.dropLast().allSatisfy { $0.madeProgress })
        }
    }
}
