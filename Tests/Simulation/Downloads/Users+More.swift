import Core
import Service

// What users ask in lives whose mix says so (``ServiceMix/asksMore``).
extension Users {
    func askMore(_ downloads: DownloadService) async throws {
        switch World.current.choices.number(below: 4, .clients) {
        case 0: try await actOnMany(downloads)
        case 1: try await limitSession(downloads)
        default: try await createOnce(downloads)
        }
    }

    // MARK: - Keys

    /// Creates a download with a key, or repeats the request of an earlier one, as a client does that saw no answer.
    private func createOnce(_ downloads: DownloadService) async throws {
        var number = World.current.choices.number(below: keyed.count + 1, .clients)
        if number == keyed.count || keyed[number].isOld {
            number = keyed.count
            keyed.append(KeyedRequest(try newRequest(), key: "key \(number)"))
        }
        let request = keyed[number]
        let new = try prepare(request.request, downloads)
        let replay = IdempotentOperation<[Creation]>(
            request: IdempotentRequest(scope: "users", key: request.key, fingerprint: Array(request.key.utf8))
        ) { creations in
            guard case .created(let download)? = creations.first else {
                return StoredResponse(status: 409, location: nil, etag: nil, body: [])
            }
            return StoredResponse(status: 201, location: download.id.text, etag: nil, body: [])
        }
        let id: String
        switch try await downloads.create([new], atomically: false, replay: replay) {
        case .done(.made(let creations)):
            guard case .created(let download)? = creations.first else { return }
            promises.recordPresent(download.id, revision: download.revision)
            id = download.id.text
        case .replayed(let response):
            World.current.count("answers that were repeated")
            id = response.location ?? ""
        default: return
        }
        World.current.note("\(request.key) is answered \(id)")
        if let first = keyed[number].answer, first != id {
            faults.append("\(request.key) was answered \(first), and then \(id)")
        }
        keyed[number].answer = id
    }

    // MARK: - Many downloads

    private func actOnMany(_ downloads: DownloadService) async throws {
        let ids = Array(promises.ids.suffix(1 + World.current.choices.number(below: 4, .clients)))
        guard !ids.isEmpty else { return }
        let action = BulkAction.allCases[World.current.choices.number(below: BulkAction.allCases.count, .clients)]
        let forces = World.current.choices.chance(oneIn: 2, .clients)
        if action == .delete || action == .cancel {
            for id in ids { markRemovedLater(id) }
        }
        var filter = DownloadFilter()
        filter.ids = ids
        let result = try await downloads.act(BulkRequest(action: action, filter: filter, forces: forces))
        World.current.note("\(action)\(forces ? " with force" : "") of \(ids.count): \(result)")
        World.current.count("operations")
    }

    // MARK: - Sessions

    private func limitSession(_ downloads: DownloadService) async throws {
        guard let name = SessionName("s") else { return }
        var settings = SessionSettings()
        settings.maxConcurrent = [nil, 1, 2][World.current.choices.number(below: 3, .clients)]
        settings.maxBytes = [nil, 100_000, 300_000][World.current.choices.number(below: 3, .clients)]
        hasQuota = true
        _ = try await downloads.putSession(name, settings, expecting: .any)
        World.current.note("the session may run \(settings.maxConcurrent ?? 0) and take \(settings.maxBytes ?? 0)")
    }

    // MARK: - Reasons

    /// Looks at why downloads do not go on. The reason must be one that is so.
    func look(_ downloads: DownloadService) async {
        let ids = promises.ids
        guard !ids.isEmpty else { return }
        let one = mix.looksAtAll ? nil : ids[World.current.choices.number(below: ids.count, .clients)]
        for id in one.map({ [$0] }) ?? ids {
            // Another user may have deleted it.
            if let view = try? await downloads.download(id) { check(view) }
        }
    }

    private func check(_ view: DownloadView) {
        let now = World.current.wall
        switch view.deferral {
        case .host(let host)?:
            World.current.count("waits for its host: \(host.reason?.rawValue ?? "")")
            if let until = host.heldUntil, until <= now {
                faults.append("\(view.download.id) waits for its host until \(until), and it is \(now)")
            }
            if host.heldUntil == nil, host.reason == .retryAfter || host.reason == .failures {
                faults.append("\(view.download.id) waits for its host, and nobody knows how long")
            }
        case .pause?: faults.append("\(view.download.id) waits for the end of a pause, and nobody has paused")
        case .space?: faults.append("\(view.download.id) waits for space, and there is some")
        case nil: break
        }
    }
}

/// A request that is repeated with the same key until its answer is seen.
struct KeyedRequest {
    let request: DownloadRequest
    let key: String
    /// The id that was answered.
    var answer: String?
    private let madeAt = World.current.wall

    /// Whether its answer may be forgotten: it is kept for a day, by a clock that may be set by an hour at a time.
    var isOld: Bool { World.current.wall > madeAt + .seconds(72_000) }

    /// - Parameter key: The description of the download too, so that two of one key are found.
    init(_ request: DownloadRequest, key: String) {
        var request = request
        request.description = key
        (self.request, self.key) = (request, key)
    }
}
