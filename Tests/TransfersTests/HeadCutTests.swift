import Core
import Testing
import TestSupport
@testable import Transfer

/// Connections that end where ``DropTests`` has none: within a head, and with the last byte.
struct HeadCutTests {
    private static let content = Content(size: 300_000)

    /// The last field of the head is the length: four bytes before the end all of it is there but the end of its line.
    @Test(arguments: [Behaviour.Close.fin, .reset], [1, 8, 14, 60, -1, -2, -3, -4, -5])
    func aHeadThatIsCutIsNoAnswer(close: Behaviour.Close, place: Int) async throws {
        let cut = Behaviour { $0.ending = .cutInHead(at: place, by: close) }
        for script in [[cut, .good], [.dropping(after: 100_000), cut, .good]] {
            try await withBench(Self.content, script: script) { bench in
                let keeper = MemoryKeeper()

                let outcomes = await bench.attempts(try bench.assignment(), keeper)

                #expect(outcomes.count == script.count)
                #expect(bench.holds(outcomes.last?.file))
                #expect(keeper.restarts.isEmpty)
            }
        }
    }

    @Test(arguments: [Behaviour.Close.fin, .reset])
    func aConnectionMayEndWithTheLastByte(close: Behaviour.Close) async throws {
        let script: [Behaviour] = [.dropping(after: Self.content.size, by: close), .good]
        try await withBench(Self.content, script: script) { bench in
            let outcomes = await bench.attempts(try bench.assignment())

            #expect(bench.holds(outcomes.last?.file))
            #expect(close == .reset || outcomes.count == 1)
        }
    }
}
