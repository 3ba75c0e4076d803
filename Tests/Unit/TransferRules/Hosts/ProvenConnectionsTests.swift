import Core
import Testing
import TransferRules

struct ProvenConnectionsTests {
    private static let begin = Timestamp(milliseconds: 1_000_000)
    private static let sixteen = ProvenConnections(count: 16, bytesPerSecond: 1000)
    private var memory = ProvenConnectionsCache()

    @Test mutating func theLastAcceptedNumberIsRememberedForTenMinutes() {
        #expect(memory.last(at: Self.begin) == nil)
        memory.record(Self.sixteen, at: Self.begin)

        #expect(memory.last(at: Self.begin + .seconds(599)) == Self.sixteen)
        #expect(memory.last(at: Self.begin + .seconds(600)) == nil)
        // The clock was set back.
        #expect(memory.last(at: Self.begin - .seconds(1)) == nil)
    }

    @Test mutating func uselessAndRefusedNumbersAreNotTriedAgain() {
        memory.record(Self.sixteen, at: Self.begin)
        memory.record(ProvenConnections(count: 1, bytesPerSecond: 1000), at: Self.begin)
        #expect(memory.last(at: Self.begin) == nil)

        memory.record(Self.sixteen, at: Self.begin)
        memory.forget()
        #expect(memory.last(at: Self.begin) == nil)
    }
}
