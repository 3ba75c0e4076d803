import Core
import Curl
import Service

/// Users who make downloads, and change their minds. Each answer is kept.
final class Users: @unchecked Sendable {
    var promises = Promises()
    /// What answers have contradicted.
    var faults: [String] = []
    /// The requests that have a key, in the order in which they were made.
    var keyed: [KeyedRequest] = []
    /// Whether a session had a quota, so that downloads may fail by it.
    var hasQuota = false
    let mix: ServiceMix
    private var files: [String: Int] = [:]
    private var numbers: [String: Int] = [:]
    private var requestCount = 0
    private var removed: Set<String> = []
    /// The files of downloads that may have been ended between the place of a file and its record, or while another one
    /// was about to take the name. The service removes only the recorded inode then, and the next process has copies.
    private var discarded: Set<Int> = []
    /// The files that a download may write over another's.
    private var overwriters: Set<Int> = []
    private var working = 0

    init(_ mix: ServiceMix) { self.mix = mix }

    var isIdle: Bool { working == 0 }

    /// The file that a download was made for; nil if no answer told its id.
    func file(of id: String) -> Int? { files[id] }

    /// The number in the URL of a download.
    func number(of id: String) -> Int? { numbers[id] }

    /// Whether a call has asked for the removal of a download's file.
    func mayRemoveFile(of id: String) -> Bool {
        removed.contains(id) || files[id].map { overwriters.contains($0) } ?? true
    }

    /// Whether a file may be left that no record names.
    func mayLeave(_ name: String) -> Bool {
        Int(name.prefix { $0.isNumber }).map { discarded.contains($0) } ?? false
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
            if mix.asksMore { await look(downloads) }
            if mix.asksMore, World.current.choices.chance(oneIn: 3, .clients) { return try await askMore(downloads) }
            switch World.current.choices.number(below: 8, .clients) {
            case 0...3: try await create(downloads)
            case 4: try await changeSession(downloads)
            default: try await change(downloads)
            }
        } catch {
            World.current.note("refused: \(error)")
        }
    }

    func newRequest() throws -> DownloadRequest {
        let file = World.current.choices.number(below: Origin.fileCount, .clients)
        requestCount += 1
        var request = DownloadRequest(url: try url(Origin.url(file, number: requestCount)))
        request.session = World.current.choices.chance(oneIn: 3, .clients) ? SessionName("s") : nil
        if World.current.choices.chance(oneIn: 6, .clients) { request.retention = .after(WholeSeconds(120)) }
        if World.current.choices.chance(oneIn: 6, .clients) { request.onConflict = .overwrite }
        if mix.hasSecondRoot, World.current.choices.chance(oneIn: 2, .clients) { request.root = SecondRoot.name }
        if mix.rateLimit != nil, World.current.choices.chance(oneIn: 2, .clients) {
            request.url = try url(Origin.url(Origin.largeFile, number: requestCount))
        }
        if mix.hasDetours { try takeDetour(&request) }
        return request
    }

    private func url(_ text: String) throws -> DownloadURL { try GivenURL(parsing: text).url }

    private func takeDetour(_ request: inout DownloadRequest) throws {
        guard let file = Origin.file(of: request.url) else { return }
        switch World.current.choices.number(below: 3, .clients) {
        case 0: break
        case 1: request.url = try url(Origin.redirectURL(file, number: requestCount))
        default: request.mirrors = [try url(Origin.mirrorURL(file, number: requestCount))]
        }
    }

    /// Makes a request a download that is ready to be created, and knows it from then on.
    func prepare(_ request: DownloadRequest, _ downloads: DownloadService) throws -> NewDownload {
        let new = try downloads.prepare(RequestedDownload(request: request))
        let file = Origin.file(of: request.url)
        files[new.id.text] = file
        numbers[new.id.text] = Origin.number(of: request.url)
        if request.onConflict == .overwrite, let file { overwriters.insert(file) }
        if request.retention != nil {
            removed.insert(new.id.text)
            // Another download may be about to take the name when the file's time is over.
            if let file { discarded.insert(file) }
        }
        return new
    }

    /// A call may delete the download, and remove its file.
    func markRemoved(_ id: DownloadID, _ downloads: DownloadService) async throws {
        promises.doubt(id)
        removed.insert(id.text)
        try await markDiscarded(id, downloads)
    }

    /// An operation may do the same at any time from now on, when another download may be about to take the name.
    func markRemovedLater(_ id: DownloadID) {
        promises.doubt(id)
        removed.insert(id.text)
        if let file = files[id.text] { discarded.insert(file) }
    }

    /// A call may end the download while it, or another one of the same name, is not completed.
    private func markDiscarded(_ id: DownloadID, _ downloads: DownloadService) async throws {
        guard let file = files[id.text] else { return }
        for other in promises.ids where files[other.text] == file {
            let state = try? await downloads.download(other).download.state
            if state != .completed { discarded.insert(file) }
        }
    }

    private func create(_ downloads: DownloadService) async throws {
        let request = try newRequest()
        let new = try prepare(request, downloads)
        let outcome = try await downloads.create([new], atomically: false)
        guard case .done(.made(let creations)) = outcome, case .created(let download)? = creations.first else { return }
        promises.recordPresent(download.id, revision: download.revision)
        let place = "\(request.root.text)/, \(request.onConflict)"
        let retention = request.retention.map { "\($0)" } ?? "kept"
        World.current.note("201 \(download.id.text) for \(request.url.text) in \(place), \(retention)")
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
        case 4:
            patch.action = .cancel
            try await markDiscarded(id, downloads)
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
        try await markRemoved(id, downloads)
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
        default:
            discarded.formUnion(files.values)
            _ = try await downloads.act(.cancel, onSession: name, keepsPartial: false)
        }
    }
}
