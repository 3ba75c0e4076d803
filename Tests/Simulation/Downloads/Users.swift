import Core
import Curl
import Service

/// Users who make downloads, and change their minds. Each answer is kept.
final class Users: @unchecked Sendable {
    private(set) var promises = Promises()
    private var files: [String: Int] = [:]
    private var removed: Set<String> = []
    /// The files that a download may write over another's.
    private var overwriters: Set<Int> = []
    private var working = 0

    var isIdle: Bool { working == 0 }

    /// The file that a download was made for; nil if no answer told its id.
    func file(of id: String) -> Int? { files[id] }

    /// Whether a call has asked for the removal of a download's file.
    func mayRemoveFile(of id: String) -> Bool {
        removed.contains(id) || files[id].map { overwriters.contains($0) } ?? true
    }

    /// Lets them work with a process.
    func work(with downloads: DownloadService) {
        working = 0
        for _ in 0..<2 {
            working += 1
            let steps = 1 + World.current.choices.number(below: 5, .clients)
            Task.detached { [self] in
                for _ in 0..<steps {
                    await World.current.sleep(milliseconds: World.current.choices.number(below: 400, .clients))
                    await step(downloads)
                }
                working -= 1
            }
        }
    }

    private func step(_ downloads: DownloadService) async {
        do {
            switch World.current.choices.number(below: 8, .clients) {
            case 0...3: try await create(downloads)
            case 4: try await changeSession(downloads)
            default: try await change(downloads)
            }
        } catch {
            World.current.note("refused: \(error)")
        }
    }

    private func create(_ downloads: DownloadService) async throws {
        let file = World.current.choices.number(below: Origin.fileCount, .clients)
        var request = DownloadRequest(url: try GivenURL(parsing: Origin.url(file)).url)
        request.session = World.current.choices.chance(oneIn: 3, .clients) ? SessionName("s") : nil
        if World.current.choices.chance(oneIn: 6, .clients) { request.retention = .after(WholeSeconds(120)) }
        if World.current.choices.chance(oneIn: 6, .clients) { request.onConflict = .overwrite }
        let new = try downloads.prepare(RequestedDownload(request: request))
        files[new.id.text] = file
        if request.onConflict == .overwrite { overwriters.insert(file) }
        if request.retention != nil { removed.insert(new.id.text) }
        let outcome = try await downloads.create([new], atomically: false)
        guard case .done(.made(let creations)) = outcome, case .created(let download)? = creations.first else { return }
        promises.recordPresent(download.id, revision: download.revision)
        let retention = request.retention.map { "\($0)" } ?? "kept"
        World.current.note("201 \(download.id.text) for file \(file), \(request.onConflict), \(retention)")
    }

    private func change(_ downloads: DownloadService) async throws {
        let ids = promises.ids
        guard !ids.isEmpty else { return }
        let id = ids[World.current.choices.number(below: ids.count, .clients)]
        var patch = DownloadPatch()
        switch World.current.choices.number(below: 8, .clients) {
        case 0: patch.action = .pause
        case 1, 2: patch.action = .resume
        case 3: patch.action = .retry
        case 4: patch.action = .cancel
        case 5:
            patch.action = .retry
            patch.forces = true
        case 6:
            let folder = World.current.choices.chance(oneIn: 2, .clients) ? "x" : "y/z"
            patch.directory = .set(try DirectoryTemplate(parsing: folder))
        default:
            try await delete(id, downloads)
            return
        }
        guard case .done(let view) = try await downloads.change(id, patch) else { return }
        promises.recordPresent(id, revision: view.download.revision)
        let change = patch.action.map { "\($0)\(patch.forces ? " with force" : "")" } ?? "move"
        World.current.note("\(change) \(id.text) → \(view.download.state)")
    }

    private func delete(_ id: DownloadID, _ downloads: DownloadService) async throws {
        promises.doubt(id)
        removed.insert(id.text)
        try await downloads.delete(id, force: true, removesFile: true, expectedRevision: nil)
        promises.recordGone(id)
        World.current.note("deleted \(id.text)")
    }

    private func changeSession(_ downloads: DownloadService) async throws {
        guard let name = SessionName("s") else { return }
        switch World.current.choices.number(below: 4, .clients) {
        case 0:
            let most = World.current.choices.chance(oneIn: 2, .clients) ? 1 : nil
            _ = try await downloads.putSession(name, SessionSettings(maxConcurrent: most), expecting: .any)
            World.current.note("the session may run \(most.map(String.init) ?? "all")")
        case 1: _ = try await downloads.act(.pause, onSession: name, keepsPartial: true)
        case 2: _ = try await downloads.act(.resume, onSession: name, keepsPartial: true)
        default: _ = try await downloads.act(.cancel, onSession: name, keepsPartial: false)
        }
    }
}
