import Core
import Linux
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

/// The roots of an engine.
struct RootTests {
    private static let content = Content(size: 5000)

    private func engine(_ bench: Bench, _ open: @escaping @Sendable () throws(RootUnavailable) -> Folders) -> Engine {
        let media = Root(Self.media, folders: try? open(), isCurrent: nil, open: open)
        return Engine(
            settings: bench.engine.settings,
            roots: [Root(.downloads, bench.engine.disk.folders), media],
            pool: bench.engine.pool,
            time: bench.time.source
        )
    }

    // `!`: the text is a name.
    private static let media = RootName("media")!

    private static func folders(_ bench: Bench) throws -> Folders {
        let root = try Directory(path: bench.folder.makeFolder("media"))
        return Folders(downloads: root, parts: try root.openDirectory(relative: ".cormorant", creating: true))
    }

    private func attempt(_ assignment: Assignment, _ engine: Engine, _ bench: Bench) async -> AttemptOutcome {
        let checkpointSink = MemoryCheckpointSink()
        checkpointSink.assignment = assignment
        let meter = ProgressMeter(time: bench.time.source)
        return await engine.attempt(assignment, checkpointSink: checkpointSink, meter: meter)
    }

    @Test func aFileIsPublishedAndRemovedBelowItsRoot() async throws {
        for content in [Self.content, Content(size: 1_500_000)] {
            try await withBench(content) { bench in
                let folders = try Self.folders(bench)
                let engine = engine(bench) { () throws(RootUnavailable) in folders }

                let outcome = await attempt(try bench.assignment { $0.root = Self.media }, engine, bench)
                let file = try #require(outcome.file)

                #expect(file.root == Self.media && file.path == "file.bin")
                #expect(content.matches(fileAt: bench.folder("media/file.bin")))
                #expect(bench.files == [] && bench.parts == [])
                #expect(try folders.parts.entries().isEmpty)
                #expect(try await engine.open(file)?.sizeBytes == content.size)
                try await engine.remove(file)
                #expect(try folders.downloads.entries() == [".cormorant"])
                await engine.shutdown()
            }
        }
    }

    @Test func aRootThatIsGoneFailsItsAttemptsUntilItIsBack() async throws {
        try await withBench(Self.content) { bench in
            let gone = RootUnavailable(Self.media, "its disk is not mounted")
            let folders = try Self.folders(bench)
            let isBack = Signal()
            let engine = engine(bench) { () throws(RootUnavailable) in
                guard isBack.count > 0 else { throw gone }
                return folders
            }
            let assignment = try bench.assignment { $0.root = Self.media }

            let failure = await attempt(assignment, engine, bench).failure
            #expect(failure?.error.code == .rootUnavailable)
            #expect(failure?.failureClass == .io)
            #expect(bench.origin.requests.isEmpty)
            #expect(bench.files == [] && bench.parts == [])
            await #expect(throws: FilesUnavailable.self) {
                _ = try await engine.state(
                    of: PublishedFile(
                        path: "file.bin",
                        root: Self.media,
                        digests: [],
                        identity: .file(size: 1, modified: nil)
                    )
                )
            }

            isBack.fire()
            #expect(await attempt(assignment, engine, bench).file?.root == Self.media)
            await engine.shutdown()
        }
    }

    @Test func aRootThatTheSettingsLackFailsItsAttempts() async throws {
        try await withBench(Self.content) { bench in
            let failure = await bench.attempt(try bench.assignment { $0.root = Self.media }).failure

            #expect(failure?.error.code == .rootUnavailable)
            #expect(bench.origin.requests.isEmpty)
        }
    }

    @Test func unusedPartFilesAreRemovedBelowEachRoot() async throws {
        try await withBench(Self.content) { bench in
            let folders = try Self.folders(bench)
            let engine = engine(bench) { () throws(RootUnavailable) in folders }
            let (left, needed) = (try bench.assignment().part, try bench.assignment().part)
            for parts in [folders.parts, bench.engine.disk.folders.parts] {
                for name in [left.text, needed.text, "id"] { _ = try parts.openFile(named: name, access: .create) }
            }

            #expect(try await engine.sweepParts { $0 == needed } == 2)
            #expect(try folders.parts.entries().sorted() == [needed.text, "id"].sorted())
            await engine.shutdown()
        }
    }
}
