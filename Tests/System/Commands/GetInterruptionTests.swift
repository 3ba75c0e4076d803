import API
import Core
import Curl
import Foundation
import Linux
import TestSupport
import Testing
import Transfer

@testable import Application
@testable import cormorant

/// What becomes of a `get` that is ended on its way.
@Suite(.hangLimit)
struct GetInterruptionTests {
    private let folder: TemporaryDirectory
    private let content = Content(size: 3 << 20)
    private let never = Signal()

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func begin(_ origin: Origin) async throws -> CommandRun {
        try await CommandRun(["get", "-d", folder.path, origin.url("/a.bin")])
    }

    /// Waits until the state file claims bytes.
    private func durableBytesCome() async throws {
        try await FolderWatch(folder.path).waitUntil("durable bytes in the state file", look: hasDurableBytes) { $0 }
    }

    private func hasDurableBytes() throws -> Bool {
        guard let name = folder.entries.first(where: { $0.hasPrefix(".cormorant-") && $0.hasSuffix(".json") }) else {
            return false
        }
        guard let record = GetRecord(json: Array(try folder.text(of: name).utf8)) else { return false }
        return record.segments.contains { $0.durableEnd > 0 }
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGKILL, 137)] as [(Int32, Int32)])
    func anInterruptedGetKeepsItsBytesAndResumes(_ signal: Int32, _ exitCode: Int32) async throws {
        let origin = Origin(content, script: [.pace(.stall(after: 2 << 20, until: never)), .good])
        defer { origin.stop() }
        let first = try await begin(origin)
        try await durableBytesCome()

        first.send(signal)
        let interrupted = try await first.result()

        #expect(interrupted.exitCode == exitCode)
        #expect(folder.entries.contains { $0.hasSuffix(".part") })
        #expect(signal == SIGKILL || interrupted.errors.contains("Run the same command again to resume"))

        let finished = try await begin(origin).result()

        #expect(finished.exitCode == 0)
        #expect(finished.errors.contains("resumed from 127.0.0.1; "))
        #expect(origin.requests.last?.value(of: "Range") != nil)
        #expect(content.matches(fileAt: folder.path + "/a.bin"))
        #expect(folder.entries == ["a.bin"])
    }

    @Test
    func anInterruptionBeforeTheFirstByteLeavesNothing() async throws {
        let origin = Origin(content, script: [.pace(.stallBeforeHead(until: never))])
        defer { origin.stop() }
        let run = try await begin(origin)
        await origin.requests(atLeast: 1)

        run.send(SIGINT)

        #expect(try await run.result().exitCode == 130)
        #expect(folder.entries.isEmpty)
    }

    @Test
    func anInterruptionEndsTheWaitForTheNextAttempt() async throws {
        let origin = Origin(content, script: [.unavailable(retryAfter: "3600")])
        defer { origin.stop() }
        let run = try await begin(origin)
        await origin.requests(atLeast: 1)

        run.send(SIGTERM)

        #expect(try await run.result().exitCode == 143)
        #expect(origin.requests.count == 1)
    }

    @Test
    func theSameDownloadIsNotBegunTwiceAtOnce() async throws {
        let signal = Signal()
        // No later request brings bytes either, so the first command cannot end before the signal.
        let script = [Behaviour.Pace.stall(after: 1 << 20, until: signal), .stallBeforeHead(until: signal)]
        let origin = Origin(content, script: script.map(Behaviour.pace))
        defer { origin.stop() }
        let first = try await begin(origin)
        await origin.requests(atLeast: 1)

        let marked = ["get", "--header", "X-Run: second", "-d", folder.path, origin.url("/a.bin")]
        let refused = try await CommandRun(marked).result()

        #expect(refused.exitCode == 75)
        #expect(refused.errors.contains("is downloading the same file to this folder"))
        signal.fire()
        #expect(try await first.result().exitCode == 0)
        #expect(origin.requests.allSatisfy { $0.value(of: "X-Run") == nil })
        #expect(content.matches(fileAt: folder.path + "/a.bin"))
        #expect(folder.entries == ["a.bin"])
    }

    @Test
    func aDamagedStateMeansARestart() async throws {
        let origin = Origin(content, script: [.pace(.stall(after: 2 << 20, until: never)), .good])
        defer { origin.stop() }
        let first = try await begin(origin)
        try await durableBytesCome()
        first.send(SIGINT)
        _ = try await first.result()
        let name = try #require(folder.entries.first { $0.hasSuffix(".json") })
        try folder.write("{ damaged", to: name)

        let result = try await begin(origin).result()

        #expect(result.exitCode == 0)
        #expect(origin.requests.last?.value(of: "Range") == nil)
        #expect(content.matches(fileAt: folder.path + "/a.bin"))
    }
}

/// A `get` that died between the record of the finished file and its end.
@Suite(.hangLimit)
struct GetPublishingTests {
    private let folder: TemporaryDirectory
    private let content = Content(size: 1000)

    init() throws {
        folder = try TemporaryDirectory()
    }

    /// Leaves the state of a download whose file, of the given identity, is on its way to `a.bin`.
    private func leaveState(_ hint: FileHint, for url: String) throws {
        let request = DownloadRequest(url: try GivenURL(parsing: url).url)
        var progress = GetProgress.beginning(request, at: Timestamp(milliseconds: 1_700_000_000_000))
        let file = PublishedFile(
            path: "a.bin",
            digests: [],
            identity: .file(size: content.size, modified: nil, hint: hint)
        )
        progress.apply(file, Checkpoint(generation: 1, source: .init(), totalBytes: content.size, segments: []))
        let directory = try Directory(path: folder.path)
        try StateFile(for: request, in: directory).save(try GetRecord(progress).json())
    }

    @Test
    func aFileThatIsInItsPlaceIsNotAskedForAgain() async throws {
        let origin = Origin(content)
        defer { origin.stop() }
        let directory = try Directory(path: folder.path)
        let file = try directory.openFile(named: "a.bin", access: .create)
        try file.write(content.allBytes, at: 0)
        try leaveState(FileHint(try file.information().identity), for: origin.url("/a.bin"))

        let result = try await CommandRun.result(of: ["get", "-d", folder.path, origin.url("/a.bin")])

        #expect(result.exitCode == 0)
        #expect(origin.requests.isEmpty)
        #expect(folder.entries == ["a.bin"])
    }

    @Test
    func aFileThatIsNowhereIsDownloadedAgain() async throws {
        let origin = Origin(content)
        defer { origin.stop() }
        try leaveState(FileHint(volume: 1, number: 1), for: origin.url("/a.bin"))

        let result = try await CommandRun.result(of: ["get", "-d", folder.path, origin.url("/a.bin")])

        #expect(result.exitCode == 0)
        #expect(content.matches(fileAt: folder.path + "/a.bin"))
        #expect(folder.entries == ["a.bin"])
    }
}
