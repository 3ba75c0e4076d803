import Glibc
import TestSupport
import Testing

@testable import Linux

/// Synchronisations in the place of real ones; the first waits until the gate is opened.
private struct Rounds {
    let count = Counter()
    let begun = Semaphore()
    let gate = Semaphore()

    /// - Returns: The round's number, from 1.
    @discardableResult
    func begin() -> Int {
        let number = count.increment()
        if number == 1 {
            begun.signal()
            gate.wait()
        }
        return number
    }
}

extension DirectorySync {
    /// Opens a gate when so many callers wait for the next round, and at the latest when they do not come.
    fileprivate func whenWaiting(_ count: Int, for directory: Directory, open: () -> Void) async throws {
        defer { open() }
        try await poll("\(count) callers", because: .counter) {
            waitingCount(for: directory)
        } is: {
            $0 >= count
        }
    }
}

@Suite struct DirectorySyncTests {
    let folder: TemporaryFolder
    let pool = BlockingPool(threads: 4)

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func thoseWhoComeMeanwhileShareTheNext() async throws {
        let rounds = Rounds()
        let sync = DirectorySync(pool: pool) { _ in rounds.begin() }
        let directory = folder.directory

        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await sync.synchronize(directory) }
            await pool.run { rounds.begun.wait() }
            for _ in 0..<100 { group.addTask { try await sync.synchronize(directory) } }
            try await sync.whenWaiting(100, for: directory) { rounds.gate.signal() }
            try await group.waitForAll()
        }

        #expect(rounds.count.value == 2)
        #expect(sync.waitingCount(for: directory) == 0)
    }

    @Test func everyCallIsServedByASynchronisationThatStartedAfterIt() async throws {
        let clock = Counter()
        let latestFinished = Counter()
        let sync = DirectorySync(pool: pool) { directory throws(SystemError) in
            let start = clock.increment()
            try directory.synchronize()
            latestFinished.raise(to: start)
        }
        let directory = folder.directory

        let isServed = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<2000 {
                group.addTask {
                    let call = clock.increment()
                    try await sync.synchronize(directory)
                    return latestFinished.value > call
                }
            }
            return try await group.reduce(true) { $0 && $1 }
        }

        #expect(isServed)
    }

    @Test func anotherOpeningOfTheFolderShares() async throws {
        let rounds = Rounds()
        let sync = DirectorySync(pool: pool) { _ in rounds.begin() }
        let openings = [folder.directory, try Directory(path: folder.path), try Directory(path: folder.path)]

        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await sync.synchronize(openings[0]) }
            await pool.run { rounds.begun.wait() }
            for opening in openings { group.addTask { try await sync.synchronize(opening) } }
            try await sync.whenWaiting(3, for: openings[0]) { rounds.gate.signal() }
            try await group.waitForAll()
        }

        #expect(rounds.count.value == 2)
    }

    @Test func anotherFolderDoesNotWait() async throws {
        let gate = Semaphore()
        let slow = folder.directory.identity
        let sync = DirectorySync(pool: pool) { directory in
            if directory.identity == slow { gate.wait() }
        }
        let other = try folder.directory.openDirectory(relative: "other", creating: true)
        let directory = folder.directory

        async let waiting: Void = sync.synchronize(directory)
        try await sync.synchronize(other)
        gate.signal()

        try await waiting
    }

    @Test func aFailedSyncIsReportedToAllItsCallersAndNoOthers() async throws {
        let rounds = Rounds()
        let sync = DirectorySync(pool: pool) { _ throws(SystemError) in
            if rounds.begin() == 2 { throw SystemError(code: EIO, call: "fsync") }
        }
        let directory = folder.directory

        async let first: Void = sync.synchronize(directory)
        await pool.run { rounds.begun.wait() }
        let faults = try await withThrowingTaskGroup(of: Int32?.self) { group in
            for _ in 0..<5 {
                group.addTask {
                    do throws(SystemError) { try await sync.synchronize(directory) } catch { return error.code }
                    return nil
                }
            }
            try await sync.whenWaiting(5, for: directory) { rounds.gate.signal() }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        try await first
        #expect(faults == [EIO, EIO, EIO, EIO, EIO])
        try await sync.synchronize(directory)
    }

    @Test func changesThatComeMeanwhileAreMadeTogetherBeforeTheNext() async throws {
        let rounds = Counter()
        let begun = Semaphore()
        let gate = Semaphore()
        let made = Counter()
        let madeBeforeSecond = Counter()
        let sync = DirectorySync(pool: pool) { _ throws(SystemError) in
            switch rounds.increment() {
            case 1:
                begun.signal()
                gate.wait()
            default:
                for _ in 0..<made.value { _ = madeBeforeSecond.increment() }
            }
        }
        let directory = folder.directory

        async let first: Void = sync.synchronize(directory)
        await pool.run { begun.wait() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 {
                group.addTask {
                    try await sync.synchronize(directory) { () throws(SystemError) in _ = made.increment() }
                }
            }
            try await sync.whenWaiting(5, for: directory) { gate.signal() }
            try await group.waitForAll()
        }
        try await first

        #expect(rounds.value == 2)
        #expect(madeBeforeSecond.value == 5)
    }

    @Test func aChangeThatFailsIsToldToItsCallerAlone() async throws {
        let rounds = Counter()
        let begun = Semaphore()
        let gate = Semaphore()
        let sync = DirectorySync(pool: pool) { _ throws(SystemError) in
            if rounds.increment() == 1 {
                begun.signal()
                gate.wait()
            }
        }
        let directory = folder.directory

        async let first: Void = sync.synchronize(directory)
        await pool.run { begun.wait() }
        async let good: Void = sync.synchronize(directory) { () throws(SystemError) in }
        async let fault = fault(of: { () async throws(SystemError) in
            try await sync.synchronize(directory) { () throws(SystemError) in
                throw SystemError(code: EEXIST, call: "renameat2")
            }
        })
        try await sync.whenWaiting(2, for: directory) { gate.signal() }

        try await first
        try await good
        #expect(await fault?.code == EEXIST)
        #expect(rounds.value == 2)
    }

    @Test func theRealOneSynchronises() async throws {
        let sync = DirectorySync(pool: pool)

        try folder.write("x", to: "name")

        try await sync.synchronize(folder.directory)
    }

    private func fault(of body: () async throws(SystemError) -> Void) async -> SystemError? {
        do throws(SystemError) {
            try await body()
            return nil
        } catch {
            return error
        }
    }
}
