import Linux
import TestSupport
import Testing

@Suite(.enabled(if: SmallDisk.isAllowed, Comment(rawValue: SmallDisk.reason)))
struct SpaceReserveTests {
    private static let mebibyte: Int64 = 1 << 20
    private let disk: SmallDisk
    private let folder: Directory

    init() throws {
        disk = try SmallDisk(bytes: 16 * Self.mebibyte)
        folder = try Directory(path: disk.folder.path)
    }

    private func reserve() -> SpaceReserve {
        SpaceReserve("reserve", of: 4 * Self.mebibyte, in: folder, lookingEach: .zero)
    }

    private var free: Int64 { get throws { try folder.freeBytes() / Self.mebibyte } }

    @Test func theReserveTakesSpaceAndReleasesItOnce() throws {
        let reserve = reserve()
        #expect(try free == 12)

        #expect(reserve.release())
        #expect(try free == 16)
        #expect(!reserve.release())
    }

    /// The space of a removed file is free a little later.
    private func remove(_ name: String, leaving mebibytes: Int64) async throws {
        disk.remove(name)
        try await poll("\(mebibytes) MiB", because: .freeSpace) {
            try free
        } is: {
            $0 == mebibytes
        }
    }

    @Test func theReserveIsTakenAgainWhenTwiceItsSizeIsFree() async throws {
        let reserve = reserve()
        disk.fill("ballast", bytes: 9 * Self.mebibyte)
        reserve.release()
        #expect(try free == 7)
        #expect(!reserve.restore())
        #expect(try free == 7)

        try await remove("ballast", leaving: 16)
        #expect(reserve.restore())
        #expect(try free == 12)
        #expect(reserve.restore())
    }

    @Test func anotherProcessFindsItAgain() throws {
        _ = reserve()
        disk.fill("ballast")
        let next = reserve()

        #expect(try free == 0)
        #expect(next.release())
        #expect(try free == 4)
    }

    /// As after a kill on a full disk.
    @Test func aReserveThatAnEarlierProcessReleasedStaysReleased() async throws {
        reserve().release()
        disk.fill("ballast", bytes: 12 * Self.mebibyte)
        let next = reserve()
        #expect(!next.restore())

        try await remove("ballast", leaving: 16)
        #expect(next.restore())
        #expect(try free == 12)
    }

    @Test func aReserveWithoutSpaceIsTakenWhenSpaceIsFree() async throws {
        disk.fill("ballast", bytes: 12 * Self.mebibyte)
        let reserve = reserve()
        #expect(!reserve.release())

        try await remove("ballast", leaving: 16)
        #expect(reserve.restore())
        #expect(try free == 12)
        #expect(reserve.release())
    }

    @Test func withoutRoomThereIsNone() throws {
        disk.fill("ballast", bytes: 9 * Self.mebibyte)
        let reserve = reserve()

        #expect(try free == 7)
        #expect(!reserve.release())
        // So nothing is kept back for its sake.
        #expect(reserve.restore())
    }
}
