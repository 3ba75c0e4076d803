import Core
import Linux
import Synchronization
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

/// The engine with a place of finished files that is no folder.
struct PlaceTests {
    private static let content = Content(size: 1_234_567)

    /// A completed download in the place.
    private struct Scene {
        let engine: Engine
        let files: MemoryFiles
        let file: PublishedFile
        let checkpointSink: MemoryCheckpointSink
        let bench: Bench
    }

    private func withScene(
        _ content: Content = Self.content,
        _ body: (Scene) async throws -> Void
    ) async throws {
        try await withBench(content) { bench in
            let parts = try Directory(path: bench.folder.makeFolder("spool"))
            let make: @Sendable (PlaceContext) -> any FinishedFiles = { MemoryFiles(.downloads, parts: parts, $0) }
            let engine = Engine(
                settings: EngineSettings(minFreeBytes: 0, flushBytes: 256 << 10),
                roots: [Root(.downloads, opened: make, open: make)],
                pool: BlockingPool(threads: 2),
                time: bench.time.source
            )
            let sink = MemoryCheckpointSink()
            let assignment = try bench.assignment { $0.connections = 1 }
            sink.assignment = assignment
            let outcome = await engine.attempt(
                assignment,
                checkpointSink: sink,
                meter: ProgressMeter(time: bench.time.source)
            )
            do {
                let files = try #require(engine.places[.downloads] as? MemoryFiles)
                let file = try #require(outcome.file)
                try await body(Scene(engine: engine, files: files, file: file, checkpointSink: sink, bench: bench))
            } catch {
                await engine.shutdown()
                throw error
            }
            await engine.shutdown()
        }
    }

    @Test(arguments: [5000, 1_234_567])
    func aDownloadIsPublishedInAPlaceThatIsNoFolder(size: Int64) async throws {
        let content = Content(size: size)
        try await withScene(content) { scene in
            #expect(scene.files.contents == ["file.bin": content.allBytes])
            #expect(scene.checkpointSink.published == [scene.file])
            #expect(try await scene.engine.state(of: scene.file) == .same)
            let parts = try await scene.files.partFolder.names()
            #expect(parts.isEmpty)
            #expect(scene.bench.files == [] && scene.bench.parts == [])
        }
    }

    @Test func onlyBytesThatThePlaceMadeDurableAreRecorded() async throws {
        try await withScene { scene in
            let durable = scene.checkpointSink.checkpoints.map(\.durableEnd)
            let stored = try #require(scene.files.storages.first).bytes

            #expect(!durable.isEmpty && durable.allSatisfy { $0.isMultiple(of: MemoryStorage.piece) })
            #expect(durable.last == Int64(stored.count))
            #expect(stored == Self.content.bytes(in: 0..<Int64(stored.count)))
        }
    }

    @Test(arguments: [true, false])
    func aPlaceWhoseDiskFailsIsOpenedAnewByTheNextPublication(isMoved: Bool) async throws {
        try await withScene { scene in
            var download = try #require(scene.checkpointSink.assignment).download
            download.file = scene.file
            let sink = scene.checkpointSink
            scene.files.isFailing.store(true, ordering: .relaxed)
            let outcome =
                isMoved
                ? await scene.engine.finishPlaced(download, checkpointSink: sink)
                : await scene.engine.finishPublishing(download, checkpointSink: sink)

            #expect(outcome?.isOfDisk == true)
            #expect(scene.engine.places[.downloads] == nil)
        }
    }

    @Test func aFileIsOpenedMovedAndRemoved() async throws {
        try await withScene { scene in
            let (engine, file) = (scene.engine, scene.file)
            let reading = try #require(try await engine.open(file))
            #expect(reading.sizeBytes == Self.content.size)
            #expect(try reading.file.readToEnd(limit: 1 << 30) == Self.content.allBytes)

            var moving = file
            moving.movingTo = "a/moved.bin"
            #expect(try await engine.hasMoved(moving, recordedAt: scene.bench.time.now) == false)
            #expect(try await engine.move(moving, to: "a/moved.bin", replaces: false) == .moved)
            #expect(try await engine.hasMoved(moving, recordedAt: scene.bench.time.now))
            #expect(try await engine.move(moving, to: "b.bin", replaces: false) == .missing)
            #expect(try await engine.state(of: file) == .missing)

            let moved = moving.moved(to: "a/moved.bin")
            #expect(try await engine.state(of: moved) == .same)
            try await engine.remove(moved)
            let isThere = try await engine.open(moved) != nil
            #expect(!isThere)
            #expect(scene.files.contents.isEmpty)
        }
    }

    /// As after a crash between the publication and its record.
    @Test func aPublicationIsFinishedInThePlace() async throws {
        try await withScene { scene in
            var download = try #require(scene.checkpointSink.assignment).download
            download.file = scene.file

            let outcome = await scene.engine.finishPublishing(download, checkpointSink: scene.checkpointSink)

            #expect(outcome.file == scene.file)
        }
    }
}
