import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Linux

@Suite struct FileSyncTests {
    let folder: TemporaryFolder
    let pool = BlockingPool(threads: 4)

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Flushes in the place of real ones; the first waits until the gate is opened.
    private final class Flushes: Sendable {
        let begun = Semaphore()
        let gate = Semaphore()
        private let flushed = Mutex<[FileIdentity]>([])

        init(opensGate: Bool = false) {
            if opensGate { gate.signal() }
        }

        var all: [FileIdentity] { flushed.withLock { $0 } }

        func flush(_ file: File) throws(SystemError) {
            let identity = try file.information().identity
            let isFirst = flushed.withLock { flushed in
                flushed.append(identity)
                return flushed.count == 1
            }
            guard isFirst else { return }
            begun.signal()
            gate.wait()
        }
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)

        var isSet: Bool { value.load(ordering: .acquiring) }

        func set() { value.store(true, ordering: .releasing) }
    }

    /// Writes a new file through `sync`, and returns its identity.
    private func write(
        _ name: String,
        count: Int = 3,
        by sync: FileSync
    ) async throws(SystemError) -> FileIdentity {
        try await sync.write { [directory = folder.directory] () throws(SystemError) in
            let file = try directory.openFile(named: name, access: .create)
            try file.write([UInt8](repeating: 1, count: count), at: 0)
            return (file, file)
        } complete: { (file) throws(SystemError) in
            try file.information().identity
        }
    }

    /// The code of the error of such a write; nil if the file was completed.
    private func fault(writing name: String, count: Int = 3, by sync: FileSync) async -> Int32? {
        do throws(SystemError) {
            _ = try await write(name, count: count, by: sync)
            return nil
        } catch {
            return error.code
        }
    }

    /// Opens a gate when so many files wait for the next round, and at the latest when they do not come.
    private func whenWaiting(_ count: Int, for sync: FileSync, open: () -> Void) async throws {
        defer { open() }
        try await poll("\(count) files", because: .counter) {
            sync.waitingCount
        } is: {
            $0 >= count
        }
    }

    @Test func filesThatWaitAreEachFlushedOnceInOneRound() async throws {
        let flushes = Flushes()
        let sync = FileSync(
            pool: pool,
            isSlow: { _ in false },
            perform: { (file) throws(SystemError) in
                try flushes.flush(file)
            }
        )

        let written = try await withThrowingTaskGroup(of: FileIdentity.self) { group in
            group.addTask { try await write("first", by: sync) }
            await pool.run { flushes.begun.wait() }
            for number in 0..<50 { group.addTask { try await write("\(number)", by: sync) } }
            try await whenWaiting(50, for: sync) { flushes.gate.signal() }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }

        #expect(written.count == 51)
        #expect(flushes.all.count == 51)
        #expect(Set(flushes.all) == written)
        #expect(sync.waitingCount == 0)
    }

    @Test func noFileIsCompletedBeforeItsOwnFlush() async throws {
        let flushed = Flushes(opensGate: true)
        let sync = FileSync(pool: pool) { (file) throws(SystemError) in
            try file.synchronize()
            try flushed.flush(file)
        }
        let directory = folder.directory

        let areFlushed = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<500 {
                group.addTask {
                    try await sync.write { () throws(SystemError) in
                        let file = try directory.openFile(named: "\(number)", access: .create)
                        try file.write([1], at: 0)
                        return (file, file)
                    } complete: { (file) throws(SystemError) in
                        let identity = try file.information().identity
                        return flushed.all.contains(identity)
                    }
                }
            }
            return try await group.reduce(true) { $0 && $1 }
        }

        #expect(areFlushed)
    }

    @Test func aFlushThatFailsIsToldToItsOwnFileAlone() async throws {
        let flushes = Flushes()
        let sync = FileSync(
            pool: pool,
            isSlow: { _ in false },
            perform: { (file) throws(SystemError) in
                try flushes.flush(file)
                if try file.information().size == 4 { throw SystemError(code: EIO, call: "fsync") }
            }
        )

        var faults: [String: Int32] = [:]
        try await withThrowingTaskGroup(of: (String, Int32?).self) { group in
            group.addTask { ("first", await fault(writing: "first", by: sync)) }
            await pool.run { flushes.begun.wait() }
            for name in ["a", "b", "c", "d"] { group.addTask { (name, await fault(writing: name, by: sync)) } }
            group.addTask { ("failing", await fault(writing: "failing", count: 4, by: sync)) }
            try await whenWaiting(5, for: sync) { flushes.gate.signal() }
            for try await (name, fault) in group { faults[name] = fault }
        }

        #expect(faults == ["failing": EIO])
        #expect(flushes.all.count == 6)
    }

    @Test func aFailedWriteIsNotFlushed() async throws {
        let count = Counter()
        let sync = FileSync(pool: pool) { _ in _ = count.increment() }
        _ = try folder.directory.openFile(named: "taken", access: .create)

        #expect(await fault(writing: "taken", by: sync) == EEXIST)
        #expect(count.value == 0)
    }

    @Test func withoutAFileNothingIsFlushed() async throws {
        let count = Counter()
        let sync = FileSync(pool: pool) { _ in _ = count.increment() }

        let value = try await sync.write {
            (nil, 7)
        } complete: {
            $0
        }

        #expect(value == 7)
        #expect(count.value == 0)
    }

    /// The second flushes end only together, so they would never end one after the other.
    @Test func afterASlowFlushFilesAreFlushedInParallel() async throws {
        let count = Counter()
        let gate = Semaphore()
        let sync = FileSync(
            pool: pool,
            isSlow: { _ in true },
            perform: { _ in
                switch count.increment() {
                case 1: break
                case 4: for _ in 0..<3 { gate.signal() }
                default: gate.wait()
                }
            }
        )
        _ = try await write("first", by: sync)

        let written = try await withThrowingTaskGroup(of: FileIdentity.self) { group in
            for number in 0..<3 { group.addTask { try await write("\(number)", by: sync) } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }

        #expect(written.count == 3)
        #expect(count.value == 4)
    }

    /// Each of the two that waited ends only after the other has begun.
    @Test func whatWaitedForASlowFlushIsFlushedInParallel() async throws {
        let flushes = Flushes()
        let isSlow = Flag()
        let began = Counter()
        let together = Semaphore()
        let sync = FileSync(
            pool: pool,
            isSlow: { _ in isSlow.isSet },
            perform: { (file) throws(SystemError) in
                let isFirst = flushes.all.isEmpty
                try flushes.flush(file)
                guard !isFirst else { return }
                if began.increment() == 1 { together.wait() } else { together.signal() }
            }
        )

        let written = try await withThrowingTaskGroup(of: FileIdentity.self) { group in
            group.addTask { try await write("first", by: sync) }
            await pool.run { flushes.begun.wait() }
            for number in 0..<2 { group.addTask { try await write("\(number)", by: sync) } }
            try await whenWaiting(2, for: sync) {
                isSlow.set()
                flushes.gate.signal()
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }

        #expect(written.count == 3)
        #expect(flushes.all.count == 3)
    }

    @Test func aFlushThatDoesNotEndHoldsUpNeitherThoseThatWaitNorThoseThatComeLater() async throws {
        let flushes = Flushes()
        let isSlow = Flag()
        let sync = FileSync(
            pool: pool,
            isSlow: { _ in isSlow.isSet },
            perform: { (file) throws(SystemError) in
                try flushes.flush(file)
            }
        )

        async let first = write("first", by: sync)
        await pool.run { flushes.begun.wait() }
        async let second = write("second", by: sync)
        async let third = write("third", by: sync)
        try await whenWaiting(2, for: sync) { isSlow.set() }
        let others = [try await write("later", by: sync), try await second, try await third]

        #expect(Set(flushes.all).isSuperset(of: others))
        flushes.gate.signal()
        let last = try await first
        #expect(!others.contains(last))
        #expect(flushes.all.count == 4)
    }

    @Test func theRealOneFlushes() async throws {
        _ = try await write("name", by: FileSync(pool: pool))

        #expect(try folder.directory.information(of: "name").size == 3)
    }
}
