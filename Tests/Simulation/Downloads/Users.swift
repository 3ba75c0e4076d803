import Core
import Curl
import Service

/// Users who make downloads, and change their minds. Each answer is kept.
final class Users: @unchecked Sendable {
    private(set) var promises = Promises()
    private var files: [String: Int] = [:]
    private var removed: Set<String> = []
    private var working = 0

    var isIdle: Bool { working == 0 }

    /// The file that a download was made for; nil if no answer told its id.
    func file(of id: String) -> Int? { files[id] }

    /// Whether a call has asked for the removal of a download's file.
    func mayRemoveFile(of id: String) -> Bool { removed.contains(id) }

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
            if promises.ids.isEmpty || World.current.choices.number(below: 2, .clients) == 0 {
                try await create(downloads)
            } else {
                try await change(downloads)
            }
        } catch {
            World.current.note("refused: \(error)")
        }
    }

    private func create(_ downloads: DownloadService) async throws {
        let file = World.current.choices.number(below: 6, .clients)
        var request = DownloadRequest(url: try GivenURL(parsing: Origin.url(file)).url)
        request.session = World.current.choices.chance(oneIn: 3, .clients) ? SessionName("s") : nil
        let new = try downloads.prepare(RequestedDownload(request: request))
        files[new.id.text] = file
        let outcome = try await downloads.create([new], atomically: false)
        guard case .done(.made(let creations)) = outcome, case .created(let download)? = creations.first else { return }
        promises.recordPresent(download.id, revision: download.revision)
        World.current.note("201 \(download.id.text) for file \(file)")
    }

    private func change(_ downloads: DownloadService) async throws {
        let ids = promises.ids
        let id = ids[World.current.choices.number(below: ids.count, .clients)]
        var patch = DownloadPatch()
        switch World.current.choices.number(below: 6, .clients) {
        case 0: patch.action = .pause
        case 1, 2: patch.action = .resume
        case 3: patch.action = .retry
        case 4: patch.action = .cancel
        default:
            promises.doubt(id)
            removed.insert(id.text)
            try await downloads.delete(id, force: true, removesFile: true, expectedRevision: nil)
            promises.recordGone(id)
            World.current.note("deleted \(id.text)")
            return
        }
        guard case .done(let view) = try await downloads.change(id, patch) else { return }
        promises.recordPresent(id, revision: view.download.revision)
        World.current.note("\(patch.action.map { "\($0)" } ?? "") \(id.text) → \(view.download.state)")
    }
}
