import Core
import Store

/// What became of a request to make one download.
enum OneCreation {
    case created(Download)
    case existing(Download)
    case queueFull
    case quotaExceeded
    case sessionSealed
    case dedupeConflict(DedupeConflict)
    case replayed(StoredAnswer)
    case keyReused
}

extension Store {
    /// Makes one download, as most tests do.
    @discardableResult
    func create(
        _ new: NewDownload,
        replay: Replay<[Creation]>? = nil,
        queueLimit: Int? = nil,
        now: Timestamp = Fixture.now
    ) async throws -> OneCreation {
        let outcome = try await create([new], atomically: false, replay: replay, queueLimit: queueLimit, now: now)
        switch outcome {
        case .made(let creations):
            switch creations[0] {
            case .created(let download): return .created(download)
            case .existing(let download): return .existing(download)
            case .refused(.queueFull): return .queueFull
            case .refused(.quotaExceeded): return .quotaExceeded
            case .refused(.sessionSealed): return .sessionSealed
            case .refused(.dedupeConflict(let conflict)): return .dedupeConflict(conflict)
            case .refused(.unknownWebhook): throw Unexpected(what: "a webhook is unknown")
            case .refused(.tooManyCallbacks): throw Unexpected(what: "too many joined")
            }
        case .refused: throw Unexpected(what: "\(outcome)")
        case .replayed(let answer): return .replayed(answer)
        case .keyReused: return .keyReused
        }
    }
}
