import Core
import StoreSupport

/// What a session and its downloads should be, told again in a few lines that share nothing with the store.
struct SessionModel {
    struct Item {
        var state: DownloadState
        /// The epoch that it belongs to.
        var epoch: Int64
        var bytes: Int64 = 0
        var generation = 1
        /// The last claim, until the download is cancelled or its process dies.
        var claim: Claim?
        var isPublishing = false
        /// When it is due, while it waits.
        var dueAt: Timestamp?
        /// The crashes since it last had new bytes, stopped in an orderly way or was resumed.
        var crashes = 0
        /// The same, whatever bytes came.
        var allCrashes = 0

        var isOpen: Bool {
            switch state {
            case .queued, .running, .waiting, .paused: true
            case .completed, .failed, .cancelled: false
            }
        }
    }

    private(set) var items: [DownloadID: Item] = [:]
    private(set) var finishes: [FinishRecord] = []
    private(set) var epoch: Int64 = 1
    private(set) var isSealed = false
    /// Whether there is one, and it was not deleted.
    private(set) var isThere = false
    private var startedAt = Timestamp(milliseconds: 0)
    /// What ended in the current epoch and was deleted.
    private var gone: [Item] = []

    var openCount: Int { items.values.count(where: \.isOpen) }

    // MARK: - What the client does

    /// - Returns: Whether they are made.
    mutating func create(_ ids: [DownloadID], starts: Bool, seals: Bool, at now: Timestamp) -> Bool {
        guard !isSealed else { return false }
        for id in ids {
            open(at: now)
            items[id] = Item(state: starts ? .queued : .paused, epoch: epoch)
        }
        isSealed = seals
        return true
    }

    /// One that is not there is made for it.
    mutating func seal() {
        isThere = true
        isSealed = true
    }

    /// - Returns: Whether it is taken, be it without an effect.
    mutating func command(_ id: DownloadID, _ action: DownloadAction, keepsPartial: Bool, at now: Timestamp) -> Bool {
        guard var item = items[id] else { return false }
        switch (action, item.state) {
        case (.pause, .paused), (.cancel, .cancelled), (.resume, .queued), (.resume, .running): return true
        case (_, .running) where item.isPublishing: return false
        case (.pause, .queued), (.pause, .running), (.pause, .waiting): item.state = .paused
        case (.resume, .paused), (.resume, .waiting):
            item.state = .queued
            item.forgetCrashes()
        case (.cancel, .queued), (.cancel, .running), (.cancel, .waiting), (.cancel, .paused):
            item.state = .cancelled
            item.claim = nil
            if !keepsPartial { item.forget() }
        case (.retry, .failed), (.retry, .cancelled):
            open(at: now)
            item.state = .queued
            item.epoch = epoch
            item.forgetCrashes()
        default: return false
        }
        items[id] = item
        closeIfFinished(item, at: now)
        return true
    }

    /// - Returns: Whether it is gone.
    mutating func delete(_ id: DownloadID, force: Bool, at now: Timestamp) -> Bool {
        guard let item = items[id], !item.isPublishing, force || !item.isOpen else { return false }
        let before = epoch
        if item.isOpen { _ = command(id, .cancel, keepsPartial: true, at: now) }
        if let ended = items.removeValue(forKey: id), ended.epoch == epoch, epoch == before { gone.append(ended) }
        return true
    }

    /// - Returns: Whether it is gone.
    mutating func deleteSession() -> Bool {
        guard isThere, openCount == 0 else { return false }
        isThere = false
        isSealed = false
        return true
    }

    /// The downloads that an action on all of them is to move.
    func matches(_ action: SessionAction) -> Set<DownloadID> { Set(items.keys.filter { isMatched($0, action) }) }

    enum Acted: Hashable { case changed, unchanged, refused }

    mutating func act(_ action: SessionAction, on id: DownloadID, at now: Timestamp) -> Acted {
        guard isMatched(id, action) else { return .unchanged }
        return command(id, action.downloadAction, keepsPartial: false, at: now) ? .changed : .refused
    }

    private func isMatched(_ id: DownloadID, _ action: SessionAction) -> Bool {
        switch (action, items[id]?.state) {
        case (.pause, .queued), (.pause, .running), (.pause, .waiting), (.resume, .paused), (.resume, .waiting): true
        case (.cancel, _): items[id]?.isOpen ?? false
        default: false
        }
    }

    // MARK: - What the service does

    /// - Returns: Whether what is claimed was queued.
    mutating func claim(_ claims: [Claim], generations: [Int]) -> Bool {
        for (claim, generation) in zip(claims, generations) {
            guard items[claim.id]?.state == .queued, items[claim.id]?.generation == generation else { return false }
            items[claim.id]?.state = .running
            items[claim.id]?.claim = claim
        }
        return true
    }

    /// - Returns: Whether it still runs.
    mutating func checkpoint(_ claim: Claim, generation: Int, _ bytes: Int64) -> Bool {
        // What a worker has made durable counts, also where it was just paused.
        guard var item = items[claim.id], item.claim == claim, item.generation == generation else { return false }
        if bytes > item.bytes { item.crashes = 0 }
        item.bytes = bytes
        items[claim.id] = item
        return item.state == .running
    }

    mutating func publish(_ claim: Claim, generation: Int) -> Bool {
        guard var item = items[claim.id], item.claim == claim, item.state == .running, item.generation == generation
        else { return false }
        item.isPublishing = true
        item.bytes = 1000
        item.crashes = 0
        items[claim.id] = item
        return true
    }

    mutating func record(_ claim: Claim, as state: DownloadState, dueAt: Timestamp?, at now: Timestamp) -> Bool {
        guard var item = items[claim.id], item.claim == claim, item.state == .running else { return false }
        item.state = state
        item.isPublishing = false
        item.dueAt = dueAt
        if state == .queued { item.forgetCrashes() }
        items[claim.id] = item
        closeIfFinished(item, at: now)
        return true
    }

    mutating func sweep(at now: Timestamp) {
        for (id, item) in items where item.state == .waiting {
            if let due = item.dueAt, due <= now { items[id]?.state = .queued }
        }
    }

    /// The process died: its claims are stale, but for those that are made to finish what was being published. What ran
    /// at three such ends in a row, or at ten in all, is held.
    mutating func recover(_ claims: [Claim]) -> Bool {
        for (id, item) in items where item.state == .running {
            let isHeld = item.crashes == 2 || item.allCrashes == 9
            items[id]?.crashes += 1
            items[id]?.allCrashes += 1
            items[id]?.claim = claims.first { $0.id == id }
            if isHeld {
                items[id]?.state = .waiting
                items[id]?.dueAt = nil
                items[id]?.isPublishing = false
            } else if !item.isPublishing {
                items[id]?.state = .queued
            }
            if (item.isPublishing && !isHeld) != (items[id]?.claim != nil) { return false }
        }
        return true
    }

    // MARK: - The account

    private mutating func open(at now: Timestamp) {
        if openCount == 0 { startedAt = now }
        isThere = true
    }

    private mutating func closeIfFinished(_ item: Item, at now: Timestamp) {
        guard !item.isOpen, openCount == 0 else { return }
        var finished = FinishRecord(epoch: epoch, startedAt: startedAt, finishedAt: now)
        finished.isSealed = isSealed
        let ended = items.filter { $0.value.epoch == epoch }
        for item in Array(ended.values) + gone {
            finished.receivedBytes += item.bytes
            switch item.state {
            case .completed: finished.completed += 1
            case .failed: finished.failed += 1
            case .cancelled: finished.cancelled += 1
            case .queued, .running, .waiting, .paused: break
            }
        }
        finished.failedIDs = Array(ended.filter { $0.value.state == .failed }.keys.map(\.text).sorted().prefix(100))
        finishes.append(finished)
        epoch += 1
        gone = []
    }
}

extension SessionModel.Item {
    mutating func forgetCrashes() {
        crashes = 0
        allCrashes = 0
    }

    /// Its bytes are thrown away, and the next ones go to another part file.
    mutating func forget() {
        bytes = 0
        generation += 1
    }
}
