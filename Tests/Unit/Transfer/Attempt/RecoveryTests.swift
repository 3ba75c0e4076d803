import Core
import HTTPFields
import Linux
import Synchronization
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

/// A process that died between the record of a finished file and its completion.
struct RecoveryTests {
    private static let content = Content(size: 5000)

    /// Brings a download to where its file is recorded and not moved, and hands on what a new process would read.
    private func withRecorded(
        _ change: Change<DownloadRequest> = .nothing,
        _ body: (Bench, Download, PublishedFile, MemoryCheckpointSink) async throws -> Void
    ) async throws {
        try await withBench(Self.content) { bench in
            let recorded = Mutex<(PublishedFile, Checkpoint)?>(nil)
            let checkpointSink = MemoryCheckpointSink { _, entry in
                guard case .publish(let file, let checkpoint) = entry else { return .record }
                recorded.withLock { $0 = (file, checkpoint) }
                return .lost
            }
            var assignment = try bench.assignment("/file.bin", change.apply)
            #expect(await bench.attempt(assignment, checkpointSink).isLost)
            let (file, checkpoint) = try #require(recorded.withLock { $0 })
            assignment.download.file = file
            assignment.download.source = checkpoint.source
            let next = MemoryCheckpointSink()
            next.assignment = assignment
            try await body(bench, assignment.download, file, next)
        }
    }

    private func move(_ bench: Bench, _ download: Download, _ file: PublishedFile) throws {
        let part = PartName(id: download.id, generation: download.generation)
        let folder = try bench.engine.disk.folders.destination(
            download.request.directory,
            bench.engine.disk.abilities.directoryAccess
        )
        let name = try #require(file.path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) })
        try bench.engine.disk.folders.parts.rename(part.text, to: folder, name, replacing: false)
    }

    @Test func aPartThatIsStillInPlaceIsMoved() async throws {
        try await withRecorded { bench, download, file, checkpointSink in
            let outcome = await bench.engine.finishPublishing(download, checkpointSink: checkpointSink)

            #expect(outcome.file == file)
            #expect(bench.holds(file))
            #expect(bench.parts.isEmpty)
            #expect(checkpointSink.entries.isEmpty)
        }
    }

    @Test func aFileThatWasMovedIsRecognised() async throws {
        try await withRecorded { bench, download, file, checkpointSink in
            try move(bench, download, file)

            let outcome = await bench.engine.finishPublishing(download, checkpointSink: checkpointSink)

            #expect(outcome.file == file)
            #expect(bench.holds(file))
        }
    }

    @Test(arguments: [String(repeating: "n", count: 255), String(repeating: "n", count: 251) + ".iso"])
    func aFileOfTheLongestNameIsRecognised(name: String) async throws {
        let name = try FileName(validating: name)
        try await withRecorded(.change { $0.filename = name }) { bench, download, file, checkpointSink in
            try move(bench, download, file)

            let outcome = await bench.engine.finishPublishing(download, checkpointSink: checkpointSink)

            #expect(outcome.file == file)
            #expect(bench.holds(file))
        }
    }

    @Test func aFileInAFolderIsRecognisedWhateverItsNameBeginsWith() async throws {
        let name = try FileName(validating: "\u{301}x")
        let directory = try RelativeDirectory(validating: "a/b")
        try await withRecorded(
            .change {
                $0.filename = name
                $0.directory = directory
            }
        ) { bench, download, file, checkpointSink in
            try move(bench, download, file)

            let outcome = await bench.engine.finishPublishing(download, checkpointSink: checkpointSink)

            #expect(outcome.file == file)
            #expect(bench.holds(file))
            try await bench.engine.remove(file)
            #expect(bench.files == ["a"])
            let isThere = try await bench.engine.open(file) != nil
            #expect(!isThere)
        }
    }

    /// By the digest of the file, or where it has none by those of its bytes.
    @Test(arguments: [true, false])
    func aPartThatWasDamagedMeanwhileIsNotMoved(hasDigest: Bool) async throws {
        let content = Self.content
        try await withRecorded { bench, download, file, checkpointSink in
            var download = download
            if !hasDigest { download.file?.digests = [] }
            bench.folder.damage("parts/\(bench.parts[0])", at: 4999)

            let outcome = await bench.engine.finishPublishing(
                download,
                blocks: hasDigest ? [] : content.blocks,
                checkpointSink: checkpointSink
            )

            #expect(outcome.errorCode == .workerLost)
            #expect(bench.files.isEmpty)
        }
    }

    @Test func aFileThatWasDamagedInItsPlaceIsRemoved() async throws {
        try await withRecorded { bench, download, file, checkpointSink in
            try move(bench, download, file)
            bench.folder.damage("downloads/file.bin", at: 0)

            let outcome = await bench.engine.finishPublishing(download, checkpointSink: checkpointSink)

            #expect(outcome.errorCode == .workerLost)
            #expect(bench.files.isEmpty)
        }
    }

    /// A small file whose move failed has no digest of blocks.
    @Test func aPartWhoseMoveFailedIsComparedByTheDigestOfTheFile() async throws {
        for isDamaged in [false, true] {
            try await withRecorded { bench, download, file, checkpointSink in
                if isDamaged { bench.folder.damage("parts/\(bench.parts[0])", at: 2500) }
                var assignment = try #require(checkpointSink.assignment)
                assignment.download.progress = .init(durableBytes: 5000, totalBytes: 5000)
                assignment.segments = [Segment(index: 0, start: 0, end: 5000, durableEnd: 5000)]
                let before = bench.origin.requests.count

                let outcome = await bench.attempt(assignment, checkpointSink)

                #expect(bench.holds(outcome.file))
                #expect(checkpointSink.restarts == (isDamaged ? ["part_damaged"] : []))
                #expect(bench.origin.requests.count == before + (isDamaged ? 1 : 0))
            }
        }
    }

    @Test func aFileThatIsNowhereIsLost() async throws {
        try await withRecorded { bench, download, file, checkpointSink in
            try bench.engine.disk.folders.parts.remove(bench.parts[0])

            let outcome = await bench.engine.finishPublishing(download, checkpointSink: checkpointSink)

            #expect(outcome.errorCode == .workerLost)
            #expect(outcome.failure?.failureClass == .startOver(retries: 3))
            #expect(bench.files.isEmpty)
        }
    }

    /// - Parameter isPublishing: Whether the download has not waited since.
    @Test(arguments: [true, false])
    func aSecondNameLeftByALinkIsRemoved(isPublishing: Bool) async throws {
        try await withRecorded { bench, download, file, checkpointSink in
            bench.folder.hardLink("downloads/file.bin", to: "parts/\(bench.parts[0])")

            let outcome =
                isPublishing
                ? await bench.engine.finishPublishing(download, checkpointSink: checkpointSink)
                : await bench.engine.finishPlaced(download, checkpointSink: checkpointSink)

            #expect(outcome?.file == file)
            #expect(bench.holds(file))
            #expect(bench.parts.isEmpty)
        }
    }

    @Test func aForeignFileOfTheNameIsLeftAloneAndTheFileGetsANumber() async throws {
        try await withRecorded { bench, download, file, checkpointSink in
            try bench.put("foreign", "file.bin")

            let outcome = await bench.engine.finishPublishing(download, checkpointSink: checkpointSink)

            #expect(outcome.file?.path == "file (1).bin")
            #expect(outcome.file?.digests == file.digests)
            #expect(bench.holds(outcome.file))
            #expect(checkpointSink.published.last?.path == "file (1).bin")
            #expect(try bench.text("file.bin") == "foreign")
            #expect(bench.parts.isEmpty)
        }
    }

    /// Two downloads of one file were about to take its name, and the other one has.
    @Test(arguments: [true, false])
    func aFileOfAnotherDownloadIsNotTakenForTheOwnOneWhateverItsBytes(isInPlace: Bool) async throws {
        try await withRecorded { bench, download, file, checkpointSink in
            try bench.write(Self.content.bytes(in: 0..<Self.content.size), to: PartName(id: download.id, generation: 9))
            let other = PartName(id: download.id, generation: 9)
            try bench.engine.disk.folders.parts.rename(
                other.text,
                to: bench.engine.disk.folders.downloads,
                "file.bin",
                replacing: false
            )
            checkpointSink.pathsOfOthers = ["file.bin"]

            let outcome =
                isInPlace
                ? await bench.engine.finishPublishing(download, checkpointSink: checkpointSink)
                : await bench.engine.finishPlaced(download, checkpointSink: checkpointSink)

            #expect(outcome?.file?.path == (isInPlace ? "file (1).bin" : nil))
            #expect(bench.files == (isInPlace ? ["file (1).bin", "file.bin"] : ["file.bin"]))
        }
    }

    @Test func aForeignFileOfTheNameFailsTheDownloadThatSaysSo() async throws {
        try await withRecorded(.change { $0.onConflict = .fail }) { bench, download, file, checkpointSink in
            try bench.put("foreign", "file.bin")

            let outcome = await bench.engine.finishPublishing(download, checkpointSink: checkpointSink)

            #expect(outcome.errorCode == .fileExists)
            #expect(try bench.text("file.bin") == "foreign")
        }
    }

    @Test func aForeignFileOfTheNameIsReplacedWhereTheClientSaysSo() async throws {
        try await withRecorded(.change { $0.onConflict = .overwrite }) { bench, download, file, checkpointSink in
            try bench.put("foreign", "file.bin")

            let outcome = await bench.engine.finishPublishing(download, checkpointSink: checkpointSink)

            #expect(outcome.file == file)
            #expect(bench.holds(file))
        }
    }

    @Test func aForeignFileNeverPassesForALostOne() async throws {
        try await withRecorded { bench, download, file, checkpointSink in
            try bench.engine.disk.folders.parts.remove(bench.parts[0])
            try bench.put("foreign", "file.bin")

            let outcome = await bench.engine.finishPublishing(download, checkpointSink: checkpointSink)

            #expect(outcome.errorCode == .workerLost)
            #expect(try bench.text("file.bin") == "foreign")
        }
    }

    @Test func aPartThatIsNotTheRecordedFileIsNotMoved() async throws {
        try await withRecorded { bench, download, file, checkpointSink in
            let part = PartName(id: download.id, generation: download.generation)
            bench.folder.hardLink("keeps the inode taken", to: "parts/\(part.text)")
            try bench.engine.disk.folders.parts.remove(part.text)
            try bench.write([UInt8](repeating: 7, count: 5000), to: part)

            let outcome = await bench.engine.finishPublishing(download, checkpointSink: checkpointSink)

            #expect(outcome.errorCode == .workerLost)
            #expect(bench.files.isEmpty)
        }
    }

    /// Puts a copy of a file in its place, as a folder has it that was copied.
    private func copy(_ bench: Bench, _ name: String) {
        bench.folder.hardLink("keeps the inode taken", to: name)
        bench.folder.remove(name)
        let bytes = bench.folder.read("keeps the inode taken")
        bench.folder.write("", to: name)
        try? File(path: bench.folder(name), access: .update).write(bytes, at: 0)
    }

    @Test(arguments: [[], [content.sha256]])
    func aPartThatWasCopiedIsMoved(digests: [Digest]) async throws {
        try await withRecorded { bench, download, file, checkpointSink in
            var download = download
            download.file?.digests = digests
            copy(bench, "parts/\(bench.parts[0])")

            let outcome = await bench.engine.finishPublishing(download, checkpointSink: checkpointSink)

            #expect(outcome.file?.path == file.path)
            #expect(bench.holds(file))
            #expect(bench.parts.isEmpty)
        }
    }

    @Test func aPartThatWasCopiedAndDamagedIsNotMoved() async throws {
        let content = Self.content
        try await withRecorded { bench, download, file, checkpointSink in
            var download = download
            download.file?.digests = []
            let part = "parts/\(bench.parts[0])"
            copy(bench, part)
            bench.folder.damage(part, at: 4999)

            let outcome = await bench.engine.finishPublishing(
                download,
                blocks: content.blocks,
                checkpointSink: checkpointSink
            )

            #expect(outcome.errorCode == .workerLost)
            #expect(bench.files.isEmpty)
        }
    }

    @Test func aFileThatWasMovedAndCopiedIsRecognisedByItsDigest() async throws {
        try await withRecorded { bench, download, file, checkpointSink in
            try move(bench, download, file)
            copy(bench, "downloads/file.bin")

            let outcome = await bench.engine.finishPublishing(download, checkpointSink: checkpointSink)

            #expect(outcome.file?.path == "file.bin")
            #expect(bench.files == ["file.bin"])
        }
    }

    @Test(arguments: [[], [content.sha256]])
    func aForeignFileOfTheSameSizeNeverPassesForALostOne(digests: [Digest]) async throws {
        try await withRecorded { bench, download, file, checkpointSink in
            var download = download
            download.file?.digests = digests
            bench.folder.hardLink("keeps the inode taken", to: "parts/\(bench.parts[0])")
            try bench.engine.disk.folders.parts.remove(bench.parts[0])
            try bench.put(String(repeating: "y", count: 5000), "file.bin")

            let outcome = await bench.engine.finishPublishing(download, checkpointSink: checkpointSink)

            #expect(outcome.errorCode == .workerLost)
            #expect(bench.files == ["file.bin"])
        }
    }

    @Test func finishingTwiceIsNoFault() async throws {
        try await withRecorded { bench, download, file, checkpointSink in
            _ = await bench.engine.finishPublishing(download, checkpointSink: checkpointSink)

            #expect(await bench.engine.finishPublishing(download, checkpointSink: checkpointSink).file == file)
            #expect(bench.holds(file))
        }
    }
}
