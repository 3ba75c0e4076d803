import Core
import StoreSupport
import Synchronization
import TestSupport
import Testing

@testable import Store

/// A store on a file system without a byte free, but for a reserve.
@Suite(.enabled(if: SmallDisk.isAllowed, Comment(rawValue: SmallDisk.reason)))
struct ReserveTests {
    private let disk: SmallDisk
    private let store: Store
    private let isThere: Box<Bool>

    init() throws {
        let disk = try SmallDisk(bytes: 16 << 20)
        let isThere = Box(true)
        disk.fill("reserve", bytes: 2 << 20)
        (self.disk, self.isThere) = (disk, isThere)
        let reserve = StoreReserve(
            release: {
                isThere.withLock { isThere in
                    if isThere { disk.remove("reserve") }
                    defer { isThere = false }
                    return isThere
                }
            },
            restore: { isThere.withLock { $0 } }
        )
        store = try Store(.file(disk.folder("store.db"), reserve: reserve)) { event, _ in
            Array("\(event.sequence)".utf8)
        }
    }

    private final class Box<Value: Sendable>: Sendable {
        private let value: Mutex<Value>

        init(_ value: Value) { self.value = Mutex(value) }

        func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
            value.withLock { value in
                var copy = value
                defer { value = copy }
                return body(&copy)
            }
        }
    }

    private func make() async throws -> DownloadID {
        let new = Fixture.new(DownloadRequest(url: Fixture.url()))
        _ = try await store.create([new], atomically: true, now: Fixture.now)
        return new.id
    }

    private func pause(_ id: DownloadID) async throws {
        let command = Command(action: .pause, timeLimit: .seconds(1))
        _ = try await store.command(id, command, now: Fixture.now)
    }

    /// Makes downloads until the disk has no room for another.
    private func fill() async throws {
        disk.fill("ballast")
        await #expect(throws: StoreError.full) {
            for _ in 0..<100_000 { _ = try await make() }
        }
    }

    @Test func callsThatFreeSpaceUseTheReserve() async throws {
        let (first, second) = (try await make(), try await make())
        try await fill()
        #expect(isThere.withLock { $0 }, "a new download has taken the reserve")

        try await pause(first)
        _ = try await store.delete(second, force: true, expectedRevision: nil, now: Fixture.now)

        #expect(!isThere.withLock { $0 })
        #expect(try await store.download(first)?.state == .paused)
        #expect(try await store.download(second) == nil)
    }

    @Test func oldRecordsArePurgedFromAFullDisk() async throws {
        let old = try await make()
        _ = try await store.command(old, Command(action: .cancel, timeLimit: .seconds(1)), now: Fixture.now)
        try await fill()

        _ = try await store.purge(PurgeAges(finishedDownloads: .seconds(30)), now: Fixture.at(60))

        #expect(try await store.download(old) == nil)
        #expect(!isThere.withLock { $0 })
    }

    @Test func whileTheReserveIsGivenUpNothingNewIsWritten() async throws {
        let id = try await make()
        try await fill()
        try await pause(id)

        // There is room now.
        await #expect(throws: StoreError.full) { _ = try await make() }
        isThere.withLock { $0 = true }
        _ = try await make()
    }

    @Test func withoutAReserveTheDiskIsFullForAll() async throws {
        let id = try await make()
        isThere.withLock { $0 = false }
        disk.remove("reserve")
        disk.fill("more")
        // While none is there nothing new is written, and what leads out is tried.
        await #expect(throws: StoreError.full) { _ = try await make() }
        try await fillWithPauses(id)
        #expect(try await store.download(id) != nil)
    }

    private func fillWithPauses(_ id: DownloadID) async throws {
        disk.fill("ballast")
        await #expect(throws: StoreError.full) {
            for number in 0..<100_000 {
                let command = Command(action: number % 2 == 0 ? .pause : .cancel, timeLimit: .seconds(1))
                _ = try await store.command(id, command, now: Fixture.now)
                let again = Command(action: .retry, timeLimit: .seconds(1))
                _ = try await store.command(id, again, now: Fixture.now)
            }
        }
    }
}
