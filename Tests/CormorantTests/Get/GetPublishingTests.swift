import API
import Core
@testable import cormorant
import Linux
import Testing
import TestSupport
import Transfer

/// A `get` that died between the record of the finished file and its end.
@Suite(.timeLimit(.minutes(5)))
struct GetPublishingTests {
    private let folder: TemporaryDirectory
    private let content = Content(size: 1000)

    init() throws {
        folder = try TemporaryDirectory()
    }

    /// Leaves the state of a download whose file, of the given identity, is on its way to `a.bin`.
    private func leaveState(_ identity: Core.FileIdentity, for url: String) throws {
        let request = DownloadRequest(url: try SourceURL.parse(url).url)
        var progress = GetProgress.beginning(request, at: Timestamp(milliseconds: 1_700_000_000_000))
        let file = PublishedFile(path: "a.bin", sizeBytes: content.size, digests: [], identity: identity)
        progress.take(file, Checkpoint(generation: 1, source: .init(), totalBytes: content.size, segments: []))
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
        try leaveState(Core.FileIdentity(try file.information().identity), for: origin.url("/a.bin"))

        let result = try await CommandRun.result(of: ["get", "-d", folder.path, origin.url("/a.bin")])

        #expect(result.exitCode == 0)
        #expect(origin.requests.isEmpty)
        #expect(folder.entries == ["a.bin"])
    }

    @Test
    func aFileThatIsNowhereIsDownloadedAgain() async throws {
        let origin = Origin(content)
        defer { origin.stop() }
        try leaveState(Core.FileIdentity(device: 1, inode: 1), for: origin.url("/a.bin"))

        let result = try await CommandRun.result(of: ["get", "-d", folder.path, origin.url("/a.bin")])

        #expect(result.exitCode == 0)
        #expect(content.matches(fileAt: folder.path + "/a.bin"))
        #expect(folder.entries == ["a.bin"])
    }
}
