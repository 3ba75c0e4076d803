import Core
import HTTPFields
import Linux
import Synchronization
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

/// The modification time of a finished file.
struct ModificationTimeTests {
    /// ``Content/lastModified``.
    private static let stated: Int64 = 784_111_740 * 1_000_000_000

    private static func modified(_ file: PublishedFile?, _ bench: Bench) throws -> Int64 {
        let path = try #require(file).path
        return try bench.engine.disk.folders.downloads.information(of: path).modifiedNanoseconds
    }

    @Test(arguments: [0, 1000, 1_500_000] as [Int64])
    func aFileHasTheTimeThatTheOriginStates(size: Int64) async throws {
        try await withBench(Content(size: size)) { bench in
            let file = await bench.attempt(try bench.assignment()).file

            #expect(bench.holds(file))
            #expect(try Self.modified(file, bench) == Self.stated)
            #expect(file?.modifiedNanoseconds == Self.stated)
            let published = try #require(file)
            let opened = try await bench.engine.open(published)
            #expect(opened?.modifiedAt == Timestamp(milliseconds: Self.stated / 1_000_000))
        }
    }

    @Test func aResumedFileHasItToo() async throws {
        let content = Content(size: 300_000)
        try await withBench(content, script: [.dropping(after: 100_000), .good]) { bench in
            let outcomes = await bench.attempts(try bench.assignment())

            #expect(outcomes.count == 2 && bench.holds(outcomes.last?.file))
            #expect(try Self.modified(outcomes.last?.file, bench) == Self.stated)
        }
    }

    @Test func aFileOfAnFTPServerHasItsTime() async throws {
        let content = Content(size: 5000)
        let server = FTPServer(content, script: [.good])
        defer { server.stop() }
        try await withBench(content) { bench in
            let file = await bench.attempt(try bench.assignment(server.url("/pub/file.bin"))).file

            #expect(bench.holds(file))
            #expect(try Self.modified(file, bench) == Self.stated)
        }
    }

    @Test(
        arguments: [
            (true, false, false), (false, true, true), (false, nil, false), (true, nil, true),
        ] as [(Bool, Bool?, Bool)]
    )
    func theRequestComesBeforeTheSetting(_ setting: Bool, _ member: Bool?, isPreserved: Bool) async throws {
        try await withBench(settings: .change { $0.preservesModificationTime = setting }) { bench in
            let file = await bench.attempt(try bench.assignment { $0.preservesModificationTime = member }).file

            #expect((try Self.modified(file, bench) == Self.stated) == isPreserved)
            #expect(try Self.modified(file, bench) == file?.modifiedNanoseconds)
        }
    }

    @Test(arguments: ["Fri, 31 Dec 2100 23:59:59 GMT", "Wed, 31 Dec 1969 23:59:59 GMT", "soon"])
    func aTimeThatCannotBeRightIsNotUsed(date: String) async throws {
        let behaviour = Behaviour {
            $0.validators = .absent
            $0.extraFields = ["Last-Modified: \(date)"]
        }
        try await withBench(script: [behaviour]) { bench in
            let file = await bench.attempt(try bench.assignment()).file

            // Some time in this century, as the last write set it.
            #expect(try Self.modified(file, bench) > 1_600_000_000 * 1_000_000_000)
            #expect(try Self.modified(file, bench) < 4_000_000_000 * 1_000_000_000)
        }
    }

    /// A folder was copied between the record of the file and its completion.
    @Test(arguments: [false, true])
    func aCopyGetsTheTimeOfTheFile(isMoved: Bool) async throws {
        let content = Content(size: 5000)
        try await withBench(content) { bench in
            let recorded = Mutex<(PublishedFile, Checkpoint)?>(nil)
            let losing = MemoryCheckpointSink { _, entry in
                guard case .publish(let file, let checkpoint) = entry else { return .record }
                recorded.withLock { $0 = (file, checkpoint) }
                return .lost
            }
            var assignment = try bench.assignment()
            #expect(await bench.attempt(assignment, losing).isLost)
            let (file, checkpoint) = try #require(recorded.withLock { $0 })
            (assignment.download.file, assignment.download.source) = (file, checkpoint.source)
            let name = "parts/\(bench.parts[0])"
            bench.folder.hardLink("keeps the inode taken", to: name)
            bench.folder.remove(name)
            let copy = isMoved ? "downloads/file.bin" : name
            bench.folder.write("", to: copy)
            try File(path: bench.folder(copy), access: .update).write(content.allBytes, at: 0)

            let outcome = await bench.engine.finishPublishing(
                assignment.download,
                checkpointSink: MemoryCheckpointSink()
            )

            #expect(bench.holds(outcome.file))
            #expect(try Self.modified(outcome.file, bench) == Self.stated)
        }
    }
}
