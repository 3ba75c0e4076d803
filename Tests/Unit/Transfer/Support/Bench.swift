import Core
import Curl
import Glibc
import Linux
import TestSupport
import TransferRules
import TransferSupport

@testable import Transfer

/// An engine with folders of its own and an origin to ask.
struct Bench {
    let origin: Origin
    let content: Content
    let engine: Engine
    let time: ManualTime
    let folder: TemporaryFolder

    /// - Parameter runsByItself: Whether time passes for the engine without a turn of ``time``.
    init(
        _ content: Content,
        script: [Behaviour],
        tls: TLSServer?,
        _ change: Change<EngineSettings>,
        folder: TemporaryFolder = TemporaryFolder(),
        runsByItself: Bool
    ) throws {
        self.content = content
        origin = Origin(content, script: script, tls: tls)
        time = ManualTime()
        self.folder = folder
        var settings = EngineSettings(minFreeBytes: 0, flushBytes: 256 << 10, longestIdleness: .seconds(600))
        change.apply(&settings)
        let parts = try Directory(path: folder.makeFolder("parts"))
        engine = Engine(
            settings: settings,
            folders: Folders(
                downloads: try Directory(path: folder.makeFolder("downloads")),
                parts: parts,
                abilities: try? parts.probeAbilities()
            ),
            pool: BlockingPool(threads: 4),
            time: runsByItself ? time.runningSource : time.source
        )
    }

    func assignment(
        _ path: String = "/file.bin",
        credentials: RequestCredentials = RequestCredentials(),
        _ change: (inout DownloadRequest) -> Void = { _ in }
    ) throws -> Assignment {
        let url = try GivenURL(parsing: path.hasPrefix("/") ? origin.url(path) : path, schemes: URLScheme.all).url
        var request = DownloadRequest(url: url)
        change(&request)
        let times = Download.Times(createdAt: time.now, deadlineAt: time.now + .seconds(7 * 86_400))
        let download = Download(id: DownloadID(at: time.now), request: request, state: .running, times: times)
        return Assignment(download: download, credentials: credentials)
    }

    /// One attempt; what it records is in `keeper` for the next.
    func attempt(
        _ assignment: Assignment,
        _ checkpointSink: MemoryCheckpointSink = MemoryCheckpointSink()
    ) async -> AttemptOutcome {
        checkpointSink.assignment = assignment
        return await engine.attempt(assignment, checkpointSink: checkpointSink, meter: ProgressMeter(time: time.source))
    }

    /// Attempts, each with what the one before recorded, until the file is there or `count` were made.
    func attempts(
        _ first: Assignment,
        _ checkpointSink: MemoryCheckpointSink = MemoryCheckpointSink(),
        atMost count: Int = 8
    ) async -> [AttemptOutcome] {
        var outcomes: [AttemptOutcome] = []
        var assignment = first
        for _ in 0..<count {
            let outcome = await attempt(assignment, checkpointSink)
            outcomes.append(outcome)
            if outcome.file != nil || outcome.failure?.failureClass == .permanent { break }
            assignment = checkpointSink.assignment ?? assignment
        }
        return outcomes
    }

    // MARK: - What is on the disk

    var files: [String] { (try? engine.disk.folders.downloads.entries().sorted()) ?? [] }

    var parts: [String] { (try? engine.disk.folders.parts.entries().sorted()) ?? [] }

    func path(_ file: PublishedFile) -> String { folder("downloads/\(file.path)") }

    func path(_ part: PartName) -> String { folder("parts/\(part.text)") }

    /// Whether `file` is in its place and holds `content`.
    func holds(_ file: PublishedFile?, _ content: Content? = nil) -> Bool {
        file.map { (content ?? self.content).matches(fileAt: path($0)) } ?? false
    }

    /// Makes a file in the downloads folder.
    func put(_ text: String, _ name: String) throws {
        let file = try engine.disk.folders.downloads.openFile(named: name, access: .createIfMissing)
        try file.truncate(to: 0)
        try file.write(Array(text.utf8), at: 0)
    }

    func text(_ name: String) throws -> String {
        String(
            decoding: try engine.disk.folders.downloads.openFile(relative: name).readToEnd(limit: 1 << 20),
            as: UTF8.self
        )
    }
}

/// A bench for one test, ended after it.
func withBench(
    _ content: Content = Content(size: 1000),
    script: [Behaviour] = [.good],
    tls: TLSServer? = nil,
    settings: Change<EngineSettings> = .nothing,
    folder: TemporaryFolder = TemporaryFolder(),
    runsByItself: Bool = false,
    _ body: (Bench) async throws -> Void
) async throws {
    let bench = try Bench(content, script: script, tls: tls, settings, folder: folder, runsByItself: runsByItself)
    do {
        try await body(bench)
    } catch {
        await bench.engine.shutdown()
        bench.origin.stop()
        throw error
    }
    await bench.engine.shutdown()
    bench.origin.stop()
}

extension Bench {
    /// An assignment of which `durableBytes` are on the disk, as if an earlier process had brought them.
    func resumable(
        at durableBytes: Int64,
        total: Int64?,
        _ change: (inout DownloadRequest) -> Void = { _ in }
    ) async throws -> Assignment {
        var assignment = try assignment("/file.bin", change)
        assignment.download.source = content.source(finalURL: assignment.download.request.url)
        assignment.download.progress = .init(durableBytes: durableBytes, totalBytes: total)
        assignment.segments = [Segment(index: 0, start: 0, end: total, durableEnd: durableBytes)]
        assignment.blocks = content.blocks(before: durableBytes)
        try write(content.bytes(in: 0..<durableBytes), to: assignment.part)
        return assignment
    }

    /// Makes a part file with these bytes.
    func write(_ bytes: [UInt8], to part: PartName) throws {
        let file = try engine.disk.folders.parts.openFile(named: part.text, access: .createIfMissing)
        try file.truncate(to: 0)
        try file.write(bytes, at: 0)
    }
}

extension Engine {
    /// The folder of the only root of a bench.
    var disk: FolderFiles {
        guard let files = places[.downloads] as? FolderFiles else { preconditionFailure("a bench has its folders") }
        return files
    }
}

extension FileReading {
    /// The opened file.
    var file: File {
        switch self {
        case .file(let opened): opened.file
        }
    }
}

extension Assignment {
    /// The part file of its generation.
    var part: PartName { PartName(id: download.id, generation: download.generation) }
}

/// Whom the engines of these benches trust.
let trustedAuthority = TestAuthority()

/// A bench whose origin speaks TLS.
func withTLSBench(
    _ content: Content = Content(size: 1000),
    script: [Behaviour] = [.good],
    tls: TLSServer = TLSServer(trustedAuthority.issue()),
    settings: Change<EngineSettings> = .nothing,
    runsByItself: Bool = false,
    _ body: (Bench) async throws -> Void
) async throws {
    let folder = TemporaryFolder()
    folder.write(trustedAuthority.certificate, to: "authority.pem")
    let trusting = Change<EngineSettings>.change {
        $0.certificateAuthorityFile = folder("authority.pem")
        settings.apply(&$0)
    }
    try await withBench(content, script: script, tls: tls, settings: trusting, runsByItself: runsByItself, body)
    withExtendedLifetime(folder) {}
}

/// What a test wants otherwise than usual: `.change { $0.digest = nil }`.
struct Change<Value> {
    let apply: (inout Value) -> Void

    static func change(_ apply: @escaping (inout Value) -> Void) -> Self { Self(apply: apply) }

    static var nothing: Self { Self { _ in } }
}

extension Change where Value == EngineSettings {
    /// An engine that opens connections without measuring what they bring.
    static func sharing(_ connections: Int) -> Self {
        .change { settings in
            settings.connections = connections
            settings.ramp.minimumShare = 64 << 10
            settings.ramp.worthwhileTime = .zero
            settings.ramp.shortestStep = .zero
            settings.ramp.leastSample = 0
        }
    }
}
