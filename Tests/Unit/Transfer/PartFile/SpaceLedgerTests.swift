import Linux
import Synchronization
import Testing
@testable import Transfer

/// Room as values, on a disk that the tests fill.
struct SpaceLedgerTests {
    private final class Disk: Sendable {
        let free: Mutex<Int64>
        init(_ free: Int64) { self.free = Mutex(free) }
        func set(_ bytes: Int64) { free.withLock { $0 = bytes } }
    }

    private static let unit: Int64 = 1 << 20

    private static func ledger(_ disk: Disk, low: Int64, high: Int64) -> SpaceLedger {
        SpaceLedger(low: low * unit, high: high * unit) { () throws(SystemError) in disk.free.withLock { $0 } }
    }

    @Test func whatIsPromisedCountsAsTaken() throws {
        let ledger = Self.ledger(Disk(100 * Self.unit), low: 10, high: 20)

        var first = try ledger.promise(60 * Self.unit)
        #expect(first != nil)
        #expect(try ledger.promise(40 * Self.unit) == nil)
        first?.keep(50 * Self.unit)
        let second = try ledger.promise(40 * Self.unit)
        #expect(second != nil)
        #expect(try ledger.promise(1) == nil)
        first = nil
        #expect(try ledger.promise(50 * Self.unit) != nil)
    }

    @Test func aFileThatDoesNotFitDoesNotMakeTheDiskFull() throws {
        let ledger = Self.ledger(Disk(100 * Self.unit), low: 10, high: 20)

        #expect(try ledger.promise(.max) == nil)
        ledger.noteShortage()
        #expect(!ledger.isLow)
        #expect(ledger.isShort)
        ledger.clearAwaited()
        #expect(!ledger.isShort)
    }

    @Test func aDiskThatWasFullIsSoUntilTheHighMarkIsFreeAgain() throws {
        let disk = Disk(9 * Self.unit)
        let ledger = Self.ledger(disk, low: 10, high: 20)

        #expect(try ledger.promise(0) == nil)
        #expect(ledger.isLow)
        disk.set(19 * Self.unit)
        #expect(ledger.roomForWaiting() == nil)
        #expect(ledger.isLow)
        disk.set(25 * Self.unit)
        #expect(ledger.roomForWaiting() == 5 * Self.unit)
        #expect(!ledger.isLow)
    }

    @Test func aDiskThatDoesNotSayHowMuchItHasIsLeftAlone() {
        let ledger = SpaceLedger(low: 0, high: 0) { () throws(SystemError) in
            throw SystemError(code: 5, call: "fstatfs")
        }

        ledger.noteShortage()
        #expect(ledger.isLow)
        #expect(ledger.roomForWaiting() == nil)
        #expect(throws: SystemError.self) { try ledger.promise(1) }
    }
}
