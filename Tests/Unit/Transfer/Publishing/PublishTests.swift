import Core
import Glibc
import Linux
import Synchronization
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

struct PublishTests {
    private static let content = Content(size: 5000)

    @Test func aTakenNameGetsANumber() async throws {
        try await withBench(Self.content) { bench in
            try bench.put("old", "file.bin")
            try bench.put("old", "file (1).bin")

            let file = await bench.attempt(try bench.assignment()).file

            #expect(file?.path == "file (2).bin")
            #expect(bench.holds(file))
            #expect(try bench.text("file.bin") == "old")
            #expect(bench.parts.isEmpty)
        }
    }

    @Test func aNameTakenByAFolderOrALinkGetsANumberToo() async throws {
        try await withBench(Self.content) { bench in
            bench.folder.makeFolder("downloads/file.bin")
            bench.folder.link("downloads/file (1).bin", to: "/nowhere")

            let file = await bench.attempt(try bench.assignment()).file

            #expect(file?.path == "file (2).bin")
            #expect(bench.holds(file))
        }
    }

    @Test func overwritingReplacesTheOldFile() async throws {
        try await withBench(Self.content) { bench in
            try bench.put("old", "file.bin")

            let file = await bench.attempt(try bench.assignment { $0.onConflict = .overwrite }).file

            #expect(file?.path == "file.bin")
            #expect(bench.holds(file))
            #expect(bench.files == ["file.bin"])
        }
    }

    @Test func overwritingALinkLeavesItsTargetAlone() async throws {
        try await withBench(Self.content) { bench in
            try bench.put("old", "target")
            bench.folder.link("downloads/file.bin", to: bench.folder("downloads/target"))

            let file = await bench.attempt(try bench.assignment { $0.onConflict = .overwrite }).file

            #expect(bench.holds(file))
            #expect(try bench.text("target") == "old")
        }
    }

    @Test func aTakenNameFailsTheDownloadThatSaysSo() async throws {
        try await withBench(Self.content) { bench in
            try bench.put("old", "file.bin")
            let checkpointSink = MemoryCheckpointSink()

            let outcome = await bench.attempt(try bench.assignment { $0.onConflict = .fail }, checkpointSink)

            #expect(outcome.errorCode == .fileExists)
            #expect(outcome.failure?.failureClass == .permanent)
            #expect(checkpointSink.published.isEmpty)
            #expect(try bench.text("file.bin") == "old")
        }
    }

    @Test(arguments: [ConflictPolicy.rename, .fail])
    func aNameTakenBetweenTheRecordAndTheMoveIsNotReplaced(policy: ConflictPolicy) async throws {
        try await withBench(Self.content) { bench in
            let checkpointSink = MemoryCheckpointSink { call, entry in
                if call == .publish, case .publish(let file, _) = entry, file.path == "file.bin" {
                    try? bench.put("other", "file.bin")
                }
                return .record
            }

            let outcome = await bench.attempt(try bench.assignment { $0.onConflict = policy }, checkpointSink)

            #expect(try bench.text("file.bin") == "other")
            #expect(outcome.file?.path == (policy == .rename ? "file (1).bin" : nil))
            #expect(outcome.errorCode == (policy == .rename ? nil : .fileExists))
            #expect(
                checkpointSink.published.map(\.path)
                    == (policy == .rename ? ["file.bin", "file (1).bin"] : ["file.bin"])
            )
        }
    }

    @Test func aNameThatAnotherDownloadIsTakingGetsANumber() async throws {
        try await withBench(Self.content) { bench in
            let checkpointSink = MemoryCheckpointSink { _, entry in
                if case .publish(let file, _) = entry, file.path == "file.bin" { .taken } else { .record }
            }

            let file = await bench.attempt(try bench.assignment(), checkpointSink).file

            #expect(file?.path == "file (1).bin")
            #expect(bench.files == ["file (1).bin"])
        }
    }

    @Test(arguments: ConflictPolicy.allCases)
    func aDownloadThatGetsNoNameIsTriedAgain(policy: ConflictPolicy) async throws {
        try await withBench(Self.content) { bench in
            let checkpointSink = MemoryCheckpointSink { call, _ in call == .publish ? .taken : .record }

            let outcome = await bench.attempt(try bench.assignment { $0.onConflict = policy }, checkpointSink)

            #expect(outcome.failure?.failureClass == .transient(.untilGivenUp))
            #expect(bench.files.isEmpty)
        }
    }

    @Test func aNestedFolderIsMade() async throws {
        try await withBench(Self.content) { bench in
            let directory = try RelativeDirectory(validating: "a/b c/\u{301}d")

            let file = await bench.attempt(try bench.assignment { $0.directory = directory }).file

            #expect(file?.path == "a/b c/\u{301}d/file.bin")
            #expect(bench.holds(file))
        }
    }

    @Test func aLinkOnTheWayIsNotFollowed() async throws {
        try await withBench(Self.content) { bench in
            bench.folder.makeFolder("elsewhere")
            bench.folder.link("downloads/a", to: bench.folder("elsewhere"))
            let directory = try RelativeDirectory(validating: "a/b")

            let outcome = await bench.attempt(try bench.assignment { $0.directory = directory })

            #expect(outcome.errorCode == .ioError)
            #expect(outcome.failure?.failureClass == .permanent)
            #expect(
                outcome.failure?.error.message.contains("links are not followed; name the folder in `roots`") == true
            )
            #expect(try Directory(path: bench.folder("elsewhere")).entries().isEmpty)
        }
    }

    @Test func aFileWhereAFolderIsWantedFailsTheDownload() async throws {
        try await withBench(Self.content) { bench in
            try bench.put("a file", "a")
            let directory = try RelativeDirectory(validating: "a/b")

            let outcome = await bench.attempt(try bench.assignment { $0.directory = directory })

            #expect(outcome.errorCode == .ioError)
            #expect(outcome.failure?.failureClass == .permanent)
            #expect(try bench.text("a") == "a file")
        }
    }

    @Test func aFolderThatIsToBeOverwrittenFailsTheDownload() async throws {
        try await withBench(Self.content) { bench in
            bench.folder.makeFolder("downloads/file.bin")

            let outcome = await bench.attempt(try bench.assignment { $0.onConflict = .overwrite })

            #expect(outcome.failure?.failureClass == .permanent)
            #expect(bench.files == ["file.bin"])
        }
    }

    /// Whatever the umask: 0600 and 0700, unless other permissions are set.
    @Test(arguments: [(0o600, 0o700), (0o644, 0o755), (0o640, 0o750)] as [(UInt32, UInt32)])
    func permissionsAreThoseOfTheSettings(fileMode: UInt32, folderMode: UInt32) async throws {
        let settings = Change<EngineSettings>.change {
            if fileMode != 0o600 { ($0.fileMode, $0.directoryMode) = (fileMode, folderMode) }
        }
        for content in [Self.content, Content(size: 1_500_000)] {
            try await withBench(content, settings: settings) { bench in
                let directory = try RelativeDirectory(validating: "new/inner")

                let file = await bench.attempt(try bench.assignment { $0.directory = directory }).file

                let folder = try bench.engine.disk.folders.downloads.openDirectory(relative: "new/inner")
                #expect(file != nil)
                #expect(try folder.information(of: "file.bin").permissions == fileMode)
                #expect(try bench.engine.disk.folders.downloads.information(of: "new").permissions == folderMode)
            }
        }
    }

    /// A part file of an earlier process may have other permissions, as after a restored backup.
    @Test func aPartFileFoundWithOtherPermissionsIsPublishedWithThoseOfTheSettings() async throws {
        try await withBench(Self.content) { bench in
            let assignment = try await bench.resumable(at: 500, total: Self.content.size)
            let found = try bench.engine.disk.folders.parts.openFile(named: assignment.part.text, access: .update)
            try found.setPermissions(0o666)

            let file = await bench.attempt(assignment).file

            #expect(bench.holds(file))
            #expect(try bench.engine.disk.folders.downloads.information(of: "file.bin").permissions == 0o600)
        }
    }

    @Test func filesAndNewFoldersGetTheGroupOfTheSettings() async throws {
        // Only root may choose a group it is no member of.
        let group: UInt32 = geteuid() == 0 ? 4711 : getegid()
        let settings = Change<EngineSettings>.change { ($0.fileGroup, $0.fileMode) = (group, 0o640) }
        for content in [Self.content, Content(size: 1_500_000)] {
            try await withBench(content, settings: settings) { bench in
                let directory = try RelativeDirectory(validating: "new")

                let file = await bench.attempt(try bench.assignment { $0.directory = directory }).file

                let downloads = bench.engine.disk.folders.downloads
                let found = try downloads.openDirectory(relative: "new").information(of: "file.bin")
                #expect(bench.holds(file))
                #expect(found.group == group && found.permissions == 0o640)
                #expect(try downloads.information(of: "new").group == group)
            }
        }
    }

    /// An attempt whose file is moved, and whose folder cannot be synchronised; the download as it is recorded then.
    private func attemptWithoutSync(_ bench: Bench, _ checkpointSink: MemoryCheckpointSink) async throws -> Download {
        let failing = Engine(
            settings: bench.engine.settings,
            roots: [Root(.downloads, bench.engine.disk.folders)],
            pool: bench.engine.disk.pool,
            time: bench.time.source,
            directorySync: DirectorySync(pool: bench.engine.disk.pool) { (_) throws(SystemError) in
                throw SystemError(code: 5, call: "fsync")
            }
        )
        let assignment = try bench.assignment()
        checkpointSink.assignment = assignment
        let outcome = await failing.attempt(
            assignment,
            checkpointSink: checkpointSink,
            meter: ProgressMeter(time: bench.time.source)
        )
        await failing.shutdown()
        #expect(outcome.errorCode == .ioError)
        #expect(bench.files == ["file.bin"])
        return try #require(checkpointSink.assignment).download
    }

    @Test func aMoveThatCouldNotBeMadeDurableIsFinishedByTheNextAttempt() async throws {
        try await withBench(Self.content) { bench in
            let checkpointSink = MemoryCheckpointSink()
            let download = try await attemptWithoutSync(bench, checkpointSink)

            let outcome = await bench.engine.finishPlaced(download, checkpointSink: checkpointSink)

            #expect(bench.holds(outcome?.file))
            #expect(bench.files == ["file.bin"])
            #expect(checkpointSink.published.map(\.path) == ["file.bin", "file.bin"])
            #expect(bench.origin.requests.count == 1)
        }
    }

    @Test func aMovedFileThatWasDamagedSinceIsNotFinished() async throws {
        let content = Self.content
        try await withBench(content) { bench in
            let checkpointSink = MemoryCheckpointSink()
            var download = try await attemptWithoutSync(bench, checkpointSink)
            download.file?.digests = []
            bench.folder.damage("downloads/file.bin", at: 2500)

            #expect(
                await bench.engine.finishPlaced(download, blocks: content.blocks, checkpointSink: checkpointSink) == nil
            )
            #expect(checkpointSink.published.count == 1)
            #expect(bench.files.isEmpty)
        }
    }

    @Test func aFileThatGaveWayToAnotherIsNotFinished() async throws {
        try await withBench(Self.content) { bench in
            let checkpointSink = MemoryCheckpointSink()
            let download = try await attemptWithoutSync(bench, checkpointSink)
            bench.folder.hardLink("keeps the inode taken", to: "downloads/file.bin")
            try bench.engine.disk.folders.downloads.remove("file.bin")
            try bench.put(String(repeating: "y", count: 5000), "file.bin")

            #expect(await bench.engine.finishPlaced(download, checkpointSink: checkpointSink) == nil)
            #expect(checkpointSink.published.count == 1)
        }
    }

    @Test func manyDownloadsOfOneNameAllGetTheirOwn() async throws {
        try await withBench(Self.content) { bench in
            let taken = Mutex<Set<String>>([])
            let script: MemoryCheckpointSink.Script = { _, entry in
                guard case .publish(let file, _) = entry else { return .record }
                return taken.withLock { $0.insert(file.path).inserted } ? .record : .taken
            }
            let assignments = try (0..<12).map { _ in try bench.assignment() }

            let files = await withTaskGroup(of: PublishedFile?.self) { group in
                for assignment in assignments {
                    group.addTask { await bench.attempt(assignment, MemoryCheckpointSink(script: script)).file }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }

            #expect(files.allSatisfy { bench.holds($0) })
            #expect(Set(files.compactMap { $0?.path }).count == 12)
            #expect(bench.files.count == 12)
        }
    }
}
