import Core
import Linux
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

/// A root without hard links, safe renames, permissions and owners.
@Suite(.enabled(if: ExFATDisk.isAllowed, Comment(rawValue: ExFATDisk.reason)))
struct ExFATTests {
    private static let content = Content(size: 5000)

    private static func with(_ body: (Bench) async throws -> Void) async throws {
        let disk = try ExFATDisk()
        try await withBench(content, settings: .change { $0.fileGroup = 12_345 }, folder: disk.folder, body)
    }

    @Test func aFileIsPublishedAndATakenNameIsKept() async throws {
        try await Self.with { bench in
            let first = await bench.attempt(try bench.assignment())
            let second = await bench.attempt(try bench.assignment())

            #expect(first.file?.path == "file.bin" && bench.holds(first.file))
            #expect(second.file?.path == "file (1).bin" && bench.holds(second.file))
            #expect(bench.parts.isEmpty)
        }
    }

    @Test func aFolderIsMade() async throws {
        try await Self.with { bench in
            let outcome = await bench.attempt(
                try bench.assignment { $0.directory = try? RelativeDirectory(validating: "a/b") }
            )

            #expect(outcome.file?.path == "a/b/file.bin" && bench.holds(outcome.file))
        }
    }

    @Test func itsAbilitiesAreFound() async throws {
        let disk = try ExFATDisk()
        let abilities = try Directory(path: disk.folder.path).probeAbilities()

        // Whether its renames can be exclusive depends on the version of its driver.
        #expect(!abilities.hardLinks && !abilities.permissions && !abilities.groups)
        #expect(!abilities.caseSensitiveNames && abilities.size)
        // FUSE closes a file some time after the process did. Until then a removed file has a hidden name.
        try await poll("the file of the probe is gone", because: .otherProcess) { disk.folder.names(in: ".") == [] }
    }

    enum Leftover: String, CaseIterable {
        /// The empty file that the process made before it was killed.
        case reserved
        /// An empty file that was there long before.
        case old
        /// A file that somebody wrote into.
        case written
    }

    @Test(arguments: Leftover.allCases)
    func onlyTheEmptyFileThatReservedTheNameIsReplacedAfterAKill(_ leftover: Leftover) async throws {
        try await Self.with { bench in
            let checkpointSink = MemoryCheckpointSink()
            let assignment = try bench.assignment()
            let published = try #require(await bench.attempt(assignment, checkpointSink).file)
            // As the kill left it: the part file is there, and the name is reserved.
            var download = try #require(checkpointSink.assignment).download
            download.file = published
            download.phase = .publishing
            let part = PartName(id: download.id, generation: download.generation)
            bench.folder.rename("downloads/file.bin", to: "parts/\(part.text)")
            try bench.put(leftover == .written ? "x" : "", "file.bin")
            let now =
                try bench.engine.disk.folders.downloads.information(of: "file.bin").modifiedNanoseconds / 1_000_000
            download.times.progressedAt = Timestamp(milliseconds: now + (leftover == .old ? 60_000 : 0))
            let file = await bench.engine.finishPublishing(download, checkpointSink: checkpointSink).file

            let reserves = try bench.engine.disk.abilities.renamesByReserving(probing: bench.engine.disk.folders.parts)
            #expect(file?.path == (leftover == .reserved && reserves ? "file.bin" : "file (1).bin"))
            #expect(bench.holds(file))
        }
    }
}
