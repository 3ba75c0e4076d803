import Linux
import Synchronization
import Testing

@testable import Transfer

/// Room as values, on a disk that the tests fill.
struct SpaceReservationsTests {
    private final class Disk: Sendable {
        let free: Mutex<Int64>
        init(_ free: Int64) { self.free = Mutex(free) }
        func set(_ bytes: Int64) { free.withLock { $0 = bytes } }
    }

    private static let unit: Int64 = 1 << 20

    private static func reservations(_ disk: Disk, low: Int64, high: Int64) -> SpaceReservations {
        SpaceReservations(low: low * unit, high: high * unit) { () throws(SystemError) in disk.free.withLock { $0 } }
    }

    @Test func reservedSpaceCountsAsUsed() throws {
        let reservations = Self.reservations(Disk(100 * Self.unit), low: 10, high: 20)

        var first = try reservations.reserve(60 * Self.unit)
        #expect(first != nil)
        #expect(try reservations.reserve(40 * Self.unit) == nil)
        first?.shrink(50 * Self.unit)
        let second = try reservations.reserve(40 * Self.unit)
        #expect(second != nil)
        #expect(try reservations.reserve(1) == nil)
        first = nil
        #expect(try reservations.reserve(50 * Self.unit) != nil)
    }

    @Test func aFileThatDoesNotFitDoesNotMakeTheDiskFull() throws {
        let reservations = Self.reservations(Disk(100 * Self.unit), low: 10, high: 20)

        #expect(try reservations.reserve(.max) == nil)
        reservations.recordSpaceShortage()
        #expect(!reservations.isLow)
        #expect(reservations.isShort)
        reservations.clearAwaited()
        #expect(!reservations.isShort)
    }

    @Test func aDiskThatWasFullIsSoUntilTheHighMarkIsFreeAgain() throws {
        let disk = Disk(9 * Self.unit)
        let reservations = Self.reservations(disk, low: 10, high: 20)

        #expect(try reservations.reserve(0) == nil)
        #expect(reservations.isLow)
        disk.set(19 * Self.unit)
        #expect(reservations.roomForWaiting() == nil)
        #expect(reservations.isLow)
        disk.set(25 * Self.unit)
        #expect(reservations.roomForWaiting() == 5 * Self.unit)
        #expect(!reservations.isLow)
    }

    @Test func aDiskThatDoesNotSayHowMuchItHasIsLeftAlone() {
        let reservations = SpaceReservations(low: 0, high: 0) { () throws(SystemError) in
            throw SystemError(code: 5, call: "fstatfs")
        }

        reservations.recordSpaceShortage()
        #expect(reservations.isLow)
        #expect(reservations.roomForWaiting() == nil)
        #expect(throws: SystemError.self) { try reservations.reserve(1) }
    }
}
