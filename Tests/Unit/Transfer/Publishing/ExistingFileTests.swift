import Core
import HTTPFields
import Linux
import Synchronization
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

/// A file that is there before the download: `on_conflict` `skip` and `if_newer`.
struct ExistingFileTests {
    private static let content = Content(size: 5000)

    private static var skipBySize: Change<DownloadRequest> {
        .change {
            $0.onConflict = .skip
            $0.expected.sizeBytes = content.size
        }
    }

    private static var skipByDigest: Change<DownloadRequest> {
        .change {
            $0.onConflict = .skip
            $0.expected.digests = [content.sha256]
        }
    }

    private static var ifNewer: Change<DownloadRequest> { .change { $0.onConflict = .ifNewer } }

    private static func put(_ content: Content, _ name: String, _ bench: Bench) throws {
        bench.folder.write("", to: "downloads/\(name)")
        try File(path: bench.folder("downloads/\(name)"), access: .update).write(content.allBytes, at: 0)
    }

    // MARK: - skip

    @Test(arguments: [0, 1])
    func theExpectedFileIsKeptAndNothingIsRequested(_ number: Int) async throws {
        let change = [Self.skipBySize, Self.skipByDigest][number]
        try await withBench(Self.content) { bench in
            try Self.put(Self.content, "file.bin", bench)
            let checkpointSink = MemoryCheckpointSink()

            let file = await bench.attempt(try bench.assignment("/file.bin", change.apply), checkpointSink).file

            #expect(file?.isSkipped == true && bench.holds(file))
            #expect(file?.digests == (number == 0 ? [] : [Self.content.sha256]))
            #expect(checkpointSink.published == [file].compactMap(\.self))
            #expect(bench.origin.requests.isEmpty)
            #expect(bench.files == ["file.bin"] && bench.parts.isEmpty)
        }
    }

    @Test(arguments: [0, 1])
    func anotherFileOfTheNameIsLeftAloneAndTheNewOneGetsANumber(_ number: Int) async throws {
        let change = [Self.skipBySize, Self.skipByDigest][number]
        // Of another size, or of the same size with other bytes.
        let other = number == 0 ? Content(size: 4999) : Content(seed: 7, size: 5000)
        try await withBench(Self.content) { bench in
            try Self.put(other, "file.bin", bench)

            let file = await bench.attempt(try bench.assignment("/file.bin", change.apply)).file

            #expect(file?.path == "file (1).bin" && file?.isSkipped == false)
            #expect(bench.holds(file))
            #expect(other.matches(fileAt: bench.folder("downloads/file.bin")))
        }
    }

    @Test func withoutAFileItIsFetched() async throws {
        try await withBench(Self.content) { bench in
            let file = await bench.attempt(try bench.assignment("/file.bin", Self.skipByDigest.apply)).file

            #expect(file?.path == "file.bin" && file?.isSkipped == false)
            #expect(bench.holds(file))
        }
    }

    @Test func aFolderOrALinkOfTheNameIsNoFile() async throws {
        try await withBench(Self.content) { bench in
            try Self.put(Self.content, "target", bench)
            bench.folder.link("downloads/file.bin", to: bench.folder("downloads/target"))

            let file = await bench.attempt(try bench.assignment("/file.bin", Self.skipBySize.apply)).file

            #expect(file?.path == "file (1).bin" && file?.isSkipped == false)
        }
    }

    @Test func aFileOfTheOriginsNameIsKeptWithoutItsBody() async throws {
        let named = Behaviour.fields(["Content-Disposition: attachment; filename=real.bin"])
        try await withBench(Self.content, script: [named]) { bench in
            try Self.put(Self.content, "real.bin", bench)

            let file = await bench.attempt(try bench.assignment("/get", Self.skipByDigest.apply)).file

            #expect(file?.path == "real.bin" && file?.isSkipped == true)
            #expect(bench.files == ["real.bin"] && bench.parts.isEmpty)
            #expect(bench.origin.requests.count == 1)
        }
    }

    /// Two downloads of one file: the second finds the name taken only at its end.
    @Test func aFileThatIsPublishedMeanwhileIsKeptInPlaceOfTheOwn() async throws {
        try await withBench(Self.content) { bench in
            let checkpointSink = MemoryCheckpointSink { _, entry in
                if case .publish(let file, _) = entry, !file.isSkipped {
                    try? Self.put(Self.content, "file.bin", bench)
                }
                return .record
            }

            let assignment = try bench.assignment("/file.bin", Self.skipByDigest.apply)
            let file = await bench.attempt(assignment, checkpointSink).file

            #expect(file?.path == "file.bin" && file?.isSkipped == true)
            #expect(bench.files == ["file.bin"] && bench.parts.isEmpty)
        }
    }

    @Test func whileAnotherDownloadPublishesTheNameItIsTriedAgain() async throws {
        try await withBench(Self.content) { bench in
            let checkpointSink = MemoryCheckpointSink { call, _ in call == .publish ? .taken : .record }
            let assignment = try bench.assignment("/file.bin", Self.skipByDigest.apply)

            let outcome = await bench.attempt(assignment, checkpointSink)

            #expect(outcome.failure?.failureClass == .transient(.untilGivenUp))
            #expect(bench.files.isEmpty)
        }
    }

    // MARK: - A process that died between the record and the completion

    private func withRecorded(_ body: (Bench, Download, PublishedFile) async throws -> Void) async throws {
        try await withBench(Self.content) { bench in
            try Self.put(Self.content, "file.bin", bench)
            // Long ago, so that a change has another time.
            bench.folder.touch("downloads/file.bin", nanoseconds: 1_000_000_007)
            let recorded = Mutex<PublishedFile?>(nil)
            let losing = MemoryCheckpointSink { _, entry in
                if case .publish(let file, _) = entry { recorded.withLock { $0 = file } }
                return .lost
            }
            var assignment = try bench.assignment("/file.bin", Self.skipByDigest.apply)
            #expect(await bench.attempt(assignment, losing).isLost)
            let file = try #require(recorded.withLock { $0 })
            assignment.download.file = file
            try await body(bench, assignment.download, file)
        }
    }

    @Test func aKeptFileIsTheDownloadsAfterACrash() async throws {
        try await withRecorded { bench, download, file in
            let outcome = await bench.engine.finishPublishing(download, checkpointSink: MemoryCheckpointSink())

            #expect(outcome.file == file && bench.holds(file))
        }
    }

    @Test(arguments: [true, false])
    func aKeptFileThatChangedBeforeTheCompletionIsLeftAlone(isRemoved: Bool) async throws {
        try await withRecorded { bench, download, _ in
            if isRemoved {
                bench.folder.remove("downloads/file.bin")
            } else {
                bench.folder.damage("downloads/file.bin", at: 0)
            }

            let outcome = await bench.engine.finishPublishing(download, checkpointSink: MemoryCheckpointSink())

            #expect(outcome.errorCode == .workerLost)
            #expect(outcome.failure?.failureClass == .startOver(retries: 3))
            #expect(bench.files == (isRemoved ? [] : ["file.bin"]))
        }
    }

    @Test func aKeptFileIsNeverRemovedWithItsDownload() async throws {
        try await withRecorded { bench, _, file in
            try await bench.engine.remove(file)
            try await bench.engine.discardFile(file)

            #expect(bench.files == ["file.bin"])
        }
    }

    // MARK: - if_newer

    /// Downloads the file once, and hands on the record of it.
    private func withDownloaded(
        _ script: [Behaviour],
        _ body: (Bench, MemoryCheckpointSink) async throws -> Void
    ) async throws {
        try await withBench(Self.content, script: [.good] + script) { bench in
            let first = MemoryCheckpointSink()
            let file = await bench.attempt(try bench.assignment("/file.bin", Self.ifNewer.apply), first).file
            #expect(bench.holds(file) && file?.isSkipped == false)
            let next = MemoryCheckpointSink()
            next.completed["file.bin"] = try #require(first.assignment).download
            try await body(bench, next)
        }
    }

    @Test func aFileThatTheOriginHasNotChangedIsKept() async throws {
        try await withDownloaded([.page(304)]) { bench, checkpointSink in
            let known = checkpointSink.completed["file.bin"]
            let assignment = try bench.assignment("/file.bin", Self.ifNewer.apply)

            let file = await bench.attempt(assignment, checkpointSink).file

            #expect(file?.isSkipped == true && bench.holds(file))
            #expect(file?.digests == known?.file?.digests)
            let request = bench.origin.requests.last
            #expect(request?.value(of: "if-none-match") == Self.content.etag)
            #expect(request?.value(of: "if-modified-since") == Self.content.lastModified)
            // The next download can ask again.
            let source = checkpointSink.assignment?.download.source
            #expect(source?.etag == Self.content.etag && source?.status == 304)
            #expect(bench.files == ["file.bin"] && bench.parts.isEmpty)
        }
    }

    @Test func anotherVersionReplacesTheFile() async throws {
        try await withDownloaded([.version(1)]) { bench, checkpointSink in
            let assignment = try bench.assignment("/file.bin", Self.ifNewer.apply)

            let file = await bench.attempt(assignment, checkpointSink).file

            #expect(file?.isSkipped == false && bench.holds(file, Self.content.at(version: 1)))
            #expect(bench.files == ["file.bin"])
        }
    }

    @Test(arguments: ["touch", "remove", "replace"])
    func aFileThatIsNotTheRecordedOneIsFetched(_ change: String) async throws {
        try await withDownloaded([.good]) { bench, checkpointSink in
            switch change {
            case "touch": bench.folder.touch("downloads/file.bin", nanoseconds: 7)
            case "remove": bench.folder.remove("downloads/file.bin")
            default:
                bench.folder.remove("downloads/file.bin")
                try bench.put("another", "file.bin")
            }
            let assignment = try bench.assignment("/file.bin", Self.ifNewer.apply)

            let file = await bench.attempt(assignment, checkpointSink).file

            #expect(file?.path == "file.bin" && file?.isSkipped == false && bench.holds(file))
            #expect(bench.origin.requests.last?.value(of: "if-none-match") == nil)
        }
    }

    @Test func withoutARecordTheFileIsReplaced() async throws {
        try await withBench(Self.content) { bench in
            try bench.put("old", "file.bin")

            let file = await bench.attempt(try bench.assignment("/file.bin", Self.ifNewer.apply)).file

            #expect(file?.path == "file.bin" && bench.holds(file))
            #expect(bench.origin.requests.last?.value(of: "if-none-match") == nil)
        }
    }

    @Test func aPostIsNeverConditional() async throws {
        try await withDownloaded([.good]) { bench, checkpointSink in
            let assignment = try bench.assignment(
                "/file.bin",
                credentials: RequestCredentials(postBody: []),
                Self.ifNewer.apply
            )

            let file = await bench.attempt(assignment, checkpointSink).file

            #expect(file?.isSkipped == false && bench.holds(file))
            #expect(bench.origin.requests.last?.value(of: "if-none-match") == nil)
        }
    }

    @Test func aFileOfAnFTPServerIsKeptIfItsSizeAndTimeAreTheSame() async throws {
        let server = FTPServer(Self.content, script: [.good])
        defer { server.stop() }
        try await withBench(Self.content) { bench in
            let first = MemoryCheckpointSink()
            let url = server.url("/pub/file.bin")
            _ = await bench.attempt(try bench.assignment(url, Self.ifNewer.apply), first)
            let next = MemoryCheckpointSink()
            next.completed["file.bin"] = try #require(first.assignment).download

            let file = await bench.attempt(try bench.assignment(url, Self.ifNewer.apply), next).file

            #expect(file?.isSkipped == true && bench.holds(file))
        }
    }
}
