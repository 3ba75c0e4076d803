import Core
import Glibc
import Linux
import TestSupport
import Testing
import TransferSupport

@testable import Transfer

/// What can be done with files after their downloads.
struct FinishedFileTests {
    private static let content = Content(size: 5000)

    private func withFile(_ directory: String?, _ body: (Bench, PublishedFile) async throws -> Void) async throws {
        try await withBench(Self.content) { bench in
            let assignment = try bench.assignment {
                $0.directory = directory.flatMap { try? RelativeDirectory(validating: $0) }
            }
            try await body(bench, try #require(await bench.attempt(assignment).file))
        }
    }

    @Test(arguments: [nil, "a/b"])
    func aFinishedFileCanBeRead(directory: String?) async throws {
        try await withFile(directory) { bench, file in
            let opened = try #require(try await bench.engine.open(file))

            #expect(opened.sizeBytes == 5000)
            #expect(try opened.file.readToEnd(limit: 5000) == Self.content.allBytes)
        }
    }

    /// A process that ended in the middle of a move left the file at its new path, with the move recorded.
    @Test func aFileIsReadWhereAnInterruptedMoveHasPutIt() async throws {
        try await withFile(nil) { bench, file in
            var moving = file
            moving.movingTo = "new.bin"
            let isMissingBefore = try await bench.engine.state(of: moving) == .missing
            let code = unsafe rename(bench.folder("downloads/file.bin"), bench.folder("downloads/new.bin"))
            #expect(code == 0)

            let isMissing = try await bench.engine.state(of: moving) == .missing
            #expect(!isMissingBefore && !isMissing)
            #expect(try await bench.engine.open(moving)?.file.readToEnd(limit: 5000) == Self.content.allBytes)
            #expect(try await bench.engine.state(of: file) == .missing)
            #expect(try await bench.engine.hasMoved(moving, recordedAt: Timestamp(milliseconds: 0)))
        }
    }

    /// The move was recorded and refused, as the other file was there. Without digests the two look the same.
    @Test func aFileThatIsStillInItsPlaceWasNotMovedWhateverIsAtTheNewOne() async throws {
        try await withFile(nil) { bench, file in
            var moving = file
            (moving.movingTo, moving.digests) = ("new.bin", [])
            let other = try bench.engine.disk.folders.downloads.openFile(named: "new.bin", access: .create)
            try other.write(Self.content.allBytes, at: 0)
            try other.setModificationTime(nanoseconds: try #require(file.modifiedNanoseconds))

            #expect(try await bench.engine.hasMoved(moving, recordedAt: bench.time.now) == false)
            #expect(bench.files == ["file.bin", "new.bin"])
        }
    }

    @Test(arguments: ["", "a/", String(repeating: "d", count: 256) + "/"])
    func aMoveToAPathThatIsTooLongLeavesTheFile(_ folder: String) async throws {
        try await withFile(nil) { bench, file in
            var moving = file
            let path = folder + String(repeating: "n", count: 256)
            moving.movingTo = path
            var cause: FilesUnavailable.Cause?
            do throws(FilesUnavailable) {
                _ = try await bench.engine.move(file, to: path, replaces: false)
            } catch {
                cause = error.cause
            }
            let hasMoved = try await bench.engine.hasMoved(moving, recordedAt: bench.time.now)
            let state = try await bench.engine.state(of: file)

            #expect(cause == .unreachable)
            #expect(!hasMoved && state == .same)
        }
    }

    @Test(arguments: [nil, "a/b"])
    func aFinishedFileCanBeRemovedTwice(directory: String?) async throws {
        try await withFile(directory) { bench, file in
            try await bench.engine.remove(file)
            try await bench.engine.remove(file)

            let isThere = try await bench.engine.open(file) != nil
            #expect(!isThere)
            #expect(bench.files == (directory == nil ? [] : ["a"]))
        }
    }

    /// Gives a file's place to `text`, in a file of its own.
    private func replace(_ bench: Bench, with text: String) throws {
        bench.folder.hardLink("keeps the inode taken", to: "downloads/file.bin")
        try bench.engine.disk.folders.downloads.remove("file.bin")
        try bench.put(text, "file.bin")
    }

    /// As in a folder that was restored.
    @Test func aCopyInItsPlaceIsReadAndRemoved() async throws {
        try await withFile(nil) { bench, file in
            bench.folder.hardLink("keeps the inode taken", to: "downloads/file.bin")
            try bench.engine.disk.folders.downloads.remove("file.bin")
            let copy = try bench.engine.disk.folders.downloads.openFile(named: "file.bin", access: .create)
            try copy.write(Self.content.allBytes, at: 0)

            let opened = try #require(try await bench.engine.open(file))

            #expect(opened.sizeBytes == 5000)
            // Once is enough: the copy is the file from then on.
            #expect(opened.published.identity != file.identity)
            #expect(opened.published.digests == file.digests)
            try await bench.engine.remove(file)
            #expect(bench.files.isEmpty)
        }
    }

    @Test func anotherFileOfItsSizeIsNeitherReadNorRemoved() async throws {
        try await withFile(nil) { bench, file in
            try replace(bench, with: String(repeating: "y", count: 5000))

            try await bench.engine.remove(file)

            let isThere = try await bench.engine.open(file) != nil
            #expect(!isThere)
            #expect(bench.files == ["file.bin"])
        }
    }

    /// Where there is no digest to compare it with.
    @Test func aFileThatWasOnlyTouchedIsRemoved() async throws {
        try await withFile(nil) { bench, file in
            var file = file
            file.digests = []
            bench.folder.touch("downloads/file.bin", nanoseconds: 1_000_000_007)

            try await bench.engine.remove(file)

            #expect(bench.files.isEmpty)
        }
    }

    /// A client that has gone takes the comparison with it.
    @Test func aComparisonThatIsCancelledSaysNothingOfTheFile() async throws {
        try await withFile(nil) { bench, file in
            bench.folder.touch("downloads/file.bin", nanoseconds: 1_000_000_007)
            let gate = Signal()
            let looked = Task {
                await gate.wait()
                return try await bench.engine.open(file) == nil
            }
            let removed = Task {
                await gate.wait()
                try await bench.engine.remove(file)
            }
            looked.cancel()
            removed.cancel()
            gate.fire()
            await #expect(throws: FilesUnavailable.self) { _ = try await looked.value }
            await #expect(throws: FilesUnavailable.self) { try await removed.value }

            #expect(bench.files == ["file.bin"])
            let isThere = try await bench.engine.open(file) != nil
            #expect(isThere)
        }
    }

    /// Or each request for a large file that was replaced would read all of it.
    @Test func aFileThatWasFoundToBeAnotherIsReadAgainOnceItHasChanged() async throws {
        try await withFile(nil) { bench, file in
            let folder = bench.folder
            try replace(bench, with: String(repeating: "y", count: 5000))
            folder.touch("downloads/file.bin", nanoseconds: 1_000_000_007)
            let isOther = try await bench.engine.open(file) == nil
            #expect(isOther)
            let other = try File(path: folder("downloads/file.bin"), access: .update)
            try other.write(Self.content.allBytes, at: 0)
            folder.touch("downloads/file.bin", nanoseconds: 1_000_000_007)

            let isRemembered = try await bench.engine.open(file) == nil
            #expect(isRemembered)
            folder.touch("downloads/file.bin", nanoseconds: 1_000_000_008)
            let isFound = try await bench.engine.open(file) != nil
            #expect(isFound)
        }
    }

    @Test func aFileThatIsChangedInItsPlaceIsNotRead() async throws {
        try await withFile(nil) { bench, file in
            bench.folder.damage("downloads/file.bin", at: 2500)

            let isThere = try await bench.engine.open(file) != nil
            #expect(!isThere)
        }
    }

    @Test func anotherFileInItsPlaceIsNeitherReadNorRemoved() async throws {
        try await withFile(nil) { bench, file in
            try replace(bench, with: "another")

            try await bench.engine.remove(file)

            let isThere = try await bench.engine.open(file) != nil
            #expect(!isThere)
            #expect(bench.files == ["file.bin"])
        }
    }

    @Test func aLinkInItsPlaceIsNeitherFollowedNorRemoved() async throws {
        try await withFile(nil) { bench, file in
            bench.folder.rename("downloads/file.bin", to: "downloads/elsewhere")
            bench.folder.link("downloads/file.bin", to: "elsewhere")

            try await bench.engine.remove(file)

            let isThere = try await bench.engine.open(file) != nil
            #expect(!isThere)
            #expect(bench.files == ["elsewhere", "file.bin"])
        }
    }

    @Test func aFileThatIsNotFinishedGivesWayToNoCopy() async throws {
        try await withFile(nil) { bench, file in
            try replace(bench, with: String(repeating: "y", count: 5000))

            try await bench.engine.discardFile(file)

            #expect(bench.files == ["file.bin"])
        }
    }

    @Test func aFreeNameReceivesTheFile() async throws {
        try await withFile(nil) { bench, file in
            let recorded = Signal()
            let checkpointSink = MemoryCheckpointSink { call, _ in
                if call == .publish { recorded.fire() }
                return .record
            }
            let assignment = try bench.assignment { $0.onConflict = .overwrite }
            let second = try await bench.engine.withPathLocked(of: file) {
                let second = Task { await bench.attempt(assignment, checkpointSink) }
                await recorded.wait()
                // Its part has gone where it did not wait.
                try await poll("an attempt that waits for the place", because: .counter) {
                    bench.engine.locks.waitingCount(for: file.path) == 1 || bench.parts.isEmpty
                }
                try await bench.engine.remove(file)
                return second
            }
            let replacement = await second.value.file

            #expect(replacement?.path == file.path)
            #expect(bench.holds(replacement))
        }
    }

    @Test func aPlaceIsHeldByOneAfterTheOther() async throws {
        let places = FilePathLocks()
        let holders = [Counter(), Counter()]
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    await places.withLock("\(number % 2)") {
                        holders[number % 2].increment()
                        await Task.yield()
                        holders[number % 2].decrement()
                    }
                }
            }
        }

        #expect(holders.map(\.highest) == [1, 1])
        #expect(places.waitingCount(for: "0") == 0)
        await #expect(throws: NotHeld.self) { try await places.withLock("0") { throw NotHeld() } }
        await places.withLock("0") {}
    }

    private struct NotHeld: Error {}

    @Test func aFileThatCannotBeRemovedIsAFailure() async throws {
        try await withFile(nil) { bench, file in
            var file = file
            file.path = String(repeating: "n", count: 256)

            await #expect(throws: FilesUnavailable.self) { try await bench.engine.remove(file) }
        }
    }

    @Test func aFileWhoseFolderGaveWayToAFileIsGone() async throws {
        try await withFile("a") { bench, file in
            try await bench.engine.remove(file)
            bench.folder.remove("downloads/a")
            try bench.put("foreign", "a")

            try await bench.engine.remove(file)

            #expect(bench.files == ["a"])
        }
    }

    @Test func aSweepRemovesFoldersInPlaceOfParts() async throws {
        try await withBench { bench in
            let name = PartName(id: DownloadID(at: bench.time.now), generation: 1).text
            bench.folder.makeFolder("parts/\(name)")
            bench.folder.write("x", to: "parts/\(name)/file")

            let removed = try await bench.engine.sweepParts { _ in false }

            #expect(removed == 1)
            #expect(bench.parts == [])
        }
    }

    @Test func theSweepRemovesUnusedPartFiles() async throws {
        try await withBench { bench in
            let names = (0..<4).map { PartName(id: DownloadID(at: bench.time.now), generation: $0) }
            for name in names { try bench.write([1], to: name) }
            try bench.engine.disk.folders.parts.openFile(named: "foreign", access: .create).close()

            let removed = try await bench.engine.sweepParts { $0 == names[1] }

            #expect(removed == 3)
            #expect(bench.parts == [names[1].text, "foreign"].sorted())
        }
    }
}
