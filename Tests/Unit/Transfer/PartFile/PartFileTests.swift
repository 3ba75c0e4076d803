import Core
import Glibc
import Linux
import TestSupport
import Testing
import TransferSupport

@testable import Transfer

/// A part file that is not what the record says.
struct PartFileTests {
    private static let content = Content(size: 300_000)

    private func resume(
        _ damage: (Bench, PartName) throws -> Void,
        _ check: (Bench, MemoryCheckpointSink) throws -> Void
    ) async throws {
        try await withBench(Self.content) { bench in
            let checkpointSink = MemoryCheckpointSink()
            let assignment = try await bench.resumable(at: 100_000, total: Self.content.size)
            try damage(bench, assignment.part)

            let outcome = await bench.attempt(assignment, checkpointSink)

            #expect(bench.holds(outcome.file))
            #expect(outcome.file?.digests == [Self.content.sha256])
            try check(bench, checkpointSink)
        }
    }

    private func expectsAnew(_ bench: Bench, _ checkpointSink: MemoryCheckpointSink) {
        expectsAnew(bench, checkpointSink, because: "part_missing")
    }

    private func expectsAnew(_ bench: Bench, _ checkpointSink: MemoryCheckpointSink, because reason: String) {
        #expect(checkpointSink.restarts == [reason])
        #expect(bench.origin.requests.map { $0.value(of: "range") } == [nil])
    }

    @Test func aMissingPartIsBegunAnew() async throws {
        try await resume({ try $0.engine.disk.folders.parts.remove($1.text) }, expectsAnew)
    }

    @Test func aPartShorterThanItsRecordIsBegunAnew() async throws {
        try await resume(
            { try $0.write(Self.content.bytes(in: 0..<99_999), to: $1) },
            { expectsAnew($0, $1, because: "part_damaged") }
        )
    }

    @Test func aLinkInPlaceOfThePartIsNotFollowed() async throws {
        try await resume(
            { bench, part in
                try bench.put(String(repeating: "x", count: 200_000), "victim")
                try bench.engine.disk.folders.parts.remove(part.text)
                bench.folder.link("parts/\(part.text)", to: bench.folder("downloads/victim"))
            },
            { bench, checkpointSink in
                expectsAnew(bench, checkpointSink)
                let text = try bench.text("victim")
                #expect(text == String(repeating: "x", count: 200_000))
            }
        )
    }

    @Test func aPartOfTheNextGenerationIsEmptiedBeforeUse() async throws {
        try await withBench(Self.content, script: [.ranges(.ignored)]) { bench in
            let assignment = try await bench.resumable(at: 100_000, total: Self.content.size)
            let next = PartName(id: assignment.download.id, generation: 2)
            try bench.write([UInt8](repeating: 0xEE, count: 500_000), to: next)

            let outcome = await bench.attempt(assignment)

            #expect(bench.holds(outcome.file))
            #expect(bench.parts.isEmpty)
        }
    }

    /// A folder with something in it, a link, and a pipe.
    @Test(arguments: ["folder", "link", "pipe"], [1, 2])
    func aForeignEntryInPlaceOfAPartFileIsReplaced(kind: String, generation: Int) async throws {
        try await withBench(Self.content) { bench in
            var assignment = try bench.assignment()
            assignment.download.generation = generation
            let path = "parts/\(assignment.part.text)"
            switch kind {
            case "folder":
                bench.folder.makeFolder(path)
                bench.folder.makeFolder("\(path)/inner")
                bench.folder.write("x", to: "\(path)/inner/file")
            case "link": bench.folder.link(path, to: "/etc/hostname")
            default: #expect(unsafe mkfifo(bench.folder(path), 0o600) == 0)
            }

            let outcome = await bench.attempt(assignment)

            #expect(bench.holds(outcome.file))
            #expect(bench.parts.isEmpty)
        }
    }

    @Test func aPartIsReadableByItsOwnerAlone() async throws {
        try await withBench(Self.content, script: [.dropping(after: 100_000)]) { bench in
            let assignment = try bench.assignment()
            _ = await bench.attempt(assignment)

            let part = try bench.engine.disk.folders.parts.information(of: assignment.part.text)
            #expect(part.permissions == 0o600)
        }
    }

    @Test func aSmallBodyReplacesWhatHasTheNameOfItsPart() async throws {
        try await withBench(Self.content) { bench in
            let assignment = try bench.assignment()
            let left = try bench.engine.disk.folders.parts.openFile(named: assignment.part.text, access: .create)
            try left.write([UInt8](repeating: 7, count: Int(Self.content.size) + 1000), at: 0)
            try left.setPermissions(0o666)

            let outcome = await bench.attempt(assignment)

            #expect(bench.holds(outcome.file))
            #expect(try bench.engine.disk.folders.downloads.information(of: "file.bin").permissions == 0o600)
        }
    }

    /// As by the default ACL of its folder.
    @Test func aWholeBodyWhosePartWasCreatedWithOtherAccessGetsTheRightOne() async throws {
        try await withBench { bench in
            let disk = bench.engine.disk
            let name = PartName(id: DownloadID(at: bench.time.now), generation: 1)
            let access = AccessAttributes(permissions: 0o600)
            let part = try #require(try PartFile.create(name, for: 3, with: access, disk.partFolder))
            try part.file.write([1, 2, 3], at: 0)
            try part.setAttributes(modifiedNanoseconds: 1_000_000_000, access)
            try part.file.setPermissions(0o400)
            try part.file.synchronize()

            let sealed = try part.sealFlushed(size: 3, digests: [], modifiedNanoseconds: 1_000_000_000, access)

            let found = try disk.folders.parts.information(of: name.text)
            #expect(found.permissions == 0o600 && found.size == 3)
            #expect(found.modifiedNanoseconds == 1_000_000_000 && sealed.identity.modifiedNanoseconds == 1_000_000_000)
        }
    }

    @Test func roomAlreadyTakenForAPartIsNotAskedForAgain() async throws {
        let total: Int64 = 4 << 30
        let slack: Int64 = 2 << 30
        let free = try Directory(path: "/tmp").freeBytes()
        try await withBench(settings: .change { $0.minFreeBytes = free - total - slack }) { bench in
            let part = try await PartFile.create(
                PartName(id: DownloadID(at: bench.time.now), generation: 1),
                for: 0,
                bench.engine.disk.partFolder
            )

            try await part.allocate(total: total, from: 0)
            try await part.allocate(total: total, from: 1)
        }
    }

    @Test func aPartThatHasAllItsRoomNeedsNoneFree() async throws {
        let total: Int64 = 1 << 20
        try await withBench { bench in
            let name = PartName(id: DownloadID(at: bench.time.now), generation: 1)
            let part = try await PartFile.create(name, for: 0, bench.engine.disk.partFolder)
            try await part.allocate(total: total, from: 0)
            let disk = bench.engine.disk
            let full = PartFolder(
                disk.partFolder.directory,
                pool: disk.pool,
                directorySync: disk.directorySync,
                fileAccess: disk.partFolder.fileAccess,
                EngineSettings(minFreeBytes: .max)
            )
            let opened = try #require(try await PartFile.open(name, full)).part
            try await opened.allocate(total: total, from: 1)

            await #expect(throws: AttemptInterruption.self) {
                try await opened.allocate(total: total + 1, from: 1)
            }
        }
    }

    @Test(arguments: [
        "dl_x.g1.part", "x", "", "dl_01kdyak3seeejr3cp3tkjzc1rr.1.part", "dl_01kdyak3seeejr3cp3tkjzc1rr.g1.tmp",
    ])
    func aForeignNameIsNoPart(text: String) {
        #expect(PartName(text) == nil)
    }

    @Test func aPartsNameReadsBack() throws {
        let name = PartName(id: try #require(DownloadID("dl_01kdyak3seeejr3cp3tkjzc1rr")), generation: 12)

        #expect(name.text == "dl_01kdyak3seeejr3cp3tkjzc1rr.g12.part")
        #expect(PartName(name.text) == name)
    }
}

/// A part that this process wrote a moment ago is believed once.
struct RecentPartFilesTests {
    private let recent = RecentPartFiles()
    private let now = Timestamp(milliseconds: 1_800_000_000_000)
    private let part: PartName

    init() {
        part = PartName(id: DownloadID(at: now), generation: 1)
    }

    @Test func aPartFileThatWasNotClosedIsChecked() {
        #expect(!recent.remove(part, now: now))
    }

    @Test func theNextAttemptBelievesIt() {
        recent.record(part, now: now)

        #expect(recent.remove(part, now: now + .seconds(59)))
        #expect(!recent.remove(part, now: now + .seconds(59)))
    }

    @Test(arguments: [60, 10_000, -1])
    func afterAMinuteAndWhereTheClockWasSetBackItIsChecked(_ seconds: Int64) {
        recent.record(part, now: now)

        #expect(!recent.remove(part, now: now + .seconds(seconds)))
    }

    @Test func anotherGenerationIsAnotherPart() {
        recent.record(part, now: now)

        #expect(!recent.remove(PartName(id: part.id, generation: 2), now: now))
    }

    @Test func itsMemoryIsBounded() {
        for generation in 0..<5000 { recent.record(PartName(id: part.id, generation: generation), now: now) }

        #expect(recent.remove(PartName(id: part.id, generation: 4999), now: now))
        #expect(!recent.remove(PartName(id: part.id, generation: 0), now: now))
    }
}
