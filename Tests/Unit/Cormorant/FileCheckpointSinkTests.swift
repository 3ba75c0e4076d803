import Core
import Curl
import Linux
import TestSupport
import Testing
import Transfer

@testable import Application
@testable import cormorant

/// What is special to a state file; the rest is in ``CheckpointSinkTests``.
@Suite
struct FileCheckpointSinkTests {
    private let folder: TemporaryDirectory
    private let directory: Directory
    private let request: DownloadRequest
    private let file: StateFile
    private let now = Timestamp(milliseconds: 1_700_000_000_000)

    init() throws {
        folder = try TemporaryDirectory()
        directory = try Directory(path: folder.path)
        request = DownloadRequest(url: try GivenURL(parsing: "https://example.com/a.iso").url)
        file = StateFile(for: request, in: directory)
    }

    @Test
    func aFileThatWasWrongIsWrittenDownWithTheRestart() async throws {
        let checkpointSink = FileCheckpointSink(.beginning(request, at: now), file: file)

        checkpointSink.record(DownloadError(.checksumMismatch, message: "It differs."), isSuspect: false)
        try await checkpointSink.startOver()

        #expect(try file.load(request, at: now)?.download.attempts.mismatches == 1)
    }

    @Test
    func theEndLeavesNothing() async throws {
        let checkpointSink = FileCheckpointSink(.beginning(request, at: now), file: file)
        try await checkpointSink.begin()

        await checkpointSink.end()

        #expect(folder.entries.isEmpty)
    }

    @Test
    func aDamagedStateCountsAsNone() throws {
        try folder.write("{\"version\": 1, \"id\": ", to: file.name)

        #expect(try file.load(request, at: now) == nil)
    }

    @Test
    func anotherNameOrURLHasAnotherFile() throws {
        var named = request
        named.filename = try FileName(validating: "b.iso")
        var elsewhere = request
        elsewhere.url = try GivenURL(parsing: "https://example.com/b.iso").url

        let names = [request, named, elsewhere].map { StateFile(for: $0, in: directory).name }

        #expect(Set(names).count == 3)
        for name in names { #expect(name.hasPrefix(".cormorant-") && name.hasSuffix(".json")) }
    }

    @Test
    func theLockIsHeldOnceAndLeavesNoFile() throws {
        let lock = try file.lock()

        #expect(throws: FileLockError.self) { try file.lock() }
        file.unlock(lock)

        #expect(folder.entries.isEmpty)
        file.unlock(try file.lock())
    }
}
