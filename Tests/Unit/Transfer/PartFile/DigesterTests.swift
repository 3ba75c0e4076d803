import Core
import Crypto
import Dispatch
import HTTPFields
import Linux
import Synchronization
import TestSupport
import Testing

@testable import Transfer

struct DigesterTests {
    private let folder = TemporaryFolder()
    private let pool = BlockingPool(threads: 2)

    private func file() throws -> File {
        try Directory(path: folder.path).openFile(named: "f", access: .createIfMissing)
    }

    @Test(arguments: [1, 4095, 262_144, 262_145, 1_048_576, 3_000_001])
    func theDigesterFollowsAGrowingFile(step: Int) async throws {
        let content = Content(size: 9_000_000)
        let file = try file()
        let digester = Digester(file, algorithms: [.sha256], pool: pool)
        let whole = content.allBytes

        // Few steps of one byte, since each costs a call; the rest comes at once.
        for start in stride(from: 0, to: whole.count, by: step).prefix(50) {
            try file.write(Array(whole[start..<min(start + step, whole.count)]), at: Int64(start))
            digester.advance(to: Int64(min(start + step, whole.count)))
        }
        try file.write(whole, at: 0)

        #expect(try await digester.finish(size: content.size) == [content.sha256])
    }

    @Test func theDigesterFailsIfTheFileIsTooShort() async throws {
        let file = try file()
        try file.write([1, 2, 3], at: 0)
        let digester = Digester(file, algorithms: [.sha256], pool: pool)

        await #expect(throws: SystemError.self) { try await digester.finish(size: 4) }
    }

    @Test func anEmptyFileHasADigest() async throws {
        let digester = Digester(try file(), algorithms: [.md5], pool: pool)

        #expect(try await digester.finish(size: 0)?.map(\.hex) == ["d41d8cd98f00b204e9800998ecf8427e"])
    }

    @Test func itsEndIsNotWaitedForByWhoIsCalledOff() async throws {
        let pool = BlockingPool(threads: 1)
        let gate = DispatchSemaphore(value: 0)
        pool.submit { gate.wait() }
        let digester = Digester(try file(), algorithms: [.sha256], pool: pool)
        let task = Task { try await digester.finish(size: 9 << 20) }
        task.cancel()

        #expect(try await task.value == nil)
        gate.signal()
    }

    @Test(arguments: [(0, [0, 8, 16, 20]), (3, [3, 11, 19, 20])] as [(Int64, [Int64])])
    func aWaiterForTheDigestReceivesItsProgress(hashedBefore: Int64, told: [Int64]) async throws {
        let pool = BlockingPool(threads: 1)
        let content = Content(size: 20 << 20)
        let file = try file()
        try file.write(content.allBytes, at: 0)
        let digester = Digester(file, algorithms: [.sha256], pool: pool)
        let reports = Mutex<[Int64]>([])

        digester.advance(to: hashedBefore << 20)
        // Its one thread has hashed them before it takes this.
        await pool.run {}
        let digests = try await digester.finish(size: content.size) { end in reports.withLock { $0.append(end) } }

        #expect(digests == [content.sha256])
        #expect(reports.withLock { $0 } == told.map { $0 << 20 })
    }

    @Test func unreadableBytesAreNotReportedAsHashed() async throws {
        let file = try file()
        try file.write([1, 2, 3], at: 0)
        let digester = Digester(file, algorithms: [.sha256], pool: pool)
        let reports = Mutex<[Int64]>([])

        await #expect(throws: SystemError.self) {
            try await digester.finish(size: 4) { end in reports.withLock { $0.append(end) } }
        }
        #expect(reports.withLock { $0 } == [0])
    }

    @Test func theDigesterIsIdleWithoutAnAlgorithm() async throws {
        let digester = Digester(try file(), algorithms: [], pool: pool)

        digester.advance(to: 5 << 20)

        #expect(try await digester.finish(size: 9 << 20) == [])
    }
}
