import Core
import Linux
import TestSupport
import Testing
import Transfer

@testable import Application
@testable import cormorant

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

    private var checkpoint: Checkpoint {
        let segments = [Segment(index: 0, start: 0, end: 1000, durableEnd: 400)]
        return Checkpoint(generation: 1, source: Download.Source(status: 200), totalBytes: 1000, segments: segments)
    }

    @Test
    func aCheckpointIsInTheFileWhenItReturns() async throws {
        let checkpointSink = FileCheckpointSink(.beginning(request, at: now), file: file)

        _ = try await checkpointSink.checkpoint(checkpoint)

        let stored = try #require(try file.load(request, at: now))
        #expect(stored == checkpointSink.progress)
        #expect(stored.download.progress.durableBytes == 400)
    }

    @Test
    func whatIsRecordedSideBySideIsInTheFileAsAWhole() async throws {
        let checkpointSink = FileCheckpointSink(.beginning(request, at: now), file: file)

        try await withThrowingTaskGroup(of: Void.self) { group in
            for round in 0..<100 {
                group.addTask {
                    if round.isMultiple(of: 2) { _ = try await checkpointSink.checkpoint(checkpoint) }
                    try await checkpointSink.recordHostRefusesRanges("example.com:443")
                }
            }
            try await group.waitForAll()
        }

        let stored = try #require(try file.load(request, at: now))
        #expect(stored == checkpointSink.progress)
        #expect(stored.hostRefusesRanges && stored.download.progress.durableBytes == 400)
    }

    @Test
    func whatAMirrorRefusesIsNotSaidOfTheDownloadsOwnHost() async throws {
        let checkpointSink = FileCheckpointSink(.beginning(request, at: now), file: file)

        try await checkpointSink.recordHostRefusesRanges("mirror.example.org:443")

        #expect(!checkpointSink.progress.hostRefusesRanges)
    }

    @Test
    func aRestartTakesTheNextGenerationAndNoBytes() async throws {
        let checkpointSink = FileCheckpointSink(.beginning(request, at: now), file: file)
        _ = try await checkpointSink.checkpoint(checkpoint)

        let generation = try await checkpointSink.restart(reason: "changed", isChange: true)

        #expect(generation == .done(2))
        #expect(try file.load(request, at: now)?.segments.isEmpty == true)
    }

    @Test
    func aFileThatWasWrongIsWrittenDownWithTheRestart() async throws {
        let checkpointSink = FileCheckpointSink(.beginning(request, at: now), file: file)

        checkpointSink.record(DownloadError(.checksumMismatch, message: "It differs."), isSuspect: false)
        try await checkpointSink.startOver()

        #expect(try file.load(request, at: now)?.download.attempts.mismatches == 1)
    }

    @Test
    func aWrongFileThatAnotherSourceMakesUpForIsCountedToo() async throws {
        let checkpointSink = FileCheckpointSink(.beginning(request, at: now), file: file)

        _ = try await checkpointSink.restart(reason: "checksum_mismatch", isChange: false)

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
    func aStateThatCannotBeWrittenIsAFailure() async throws {
        // A folder of the state file's name, with something in it, gives way to no file.
        _ = try directory.openDirectory(relative: "\(file.name)/full", creating: true)
        let checkpointSink = FileCheckpointSink(.beginning(request, at: now), file: file)

        await #expect(throws: SystemError.self) { try await checkpointSink.checkpoint(checkpoint) }
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
