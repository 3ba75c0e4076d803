import Synchronization

/// Space on a file system that is reserved for essential writes on a full disk: a file without content.
///
/// Where the file system cannot reserve there is none; where it had no room at the start, there is none until it has.
/// Every call may block.
public final class SpaceReserve: Sendable {
    private enum State {
        /// The file system cannot reserve.
        case absent
        /// There was no room yet; it is looked for again from that instant on.
        case awaited(ContinuousClock.Instant)
        case held(File)
        case released
    }

    private enum AllocationResult {
        case taken(File)
        case noRoom
        case impossible
    }

    private let folder: Directory
    private let name: String
    private let bytes: Int64
    private let interval: Duration
    private let state: Mutex<State>

    /// Allocates the space if possible; a file of an earlier process is reused.
    ///
    /// - Parameter interval: How often room is looked for that was not there at the start.
    public init(_ name: String, of bytes: Int64, in folder: Directory, lookingEach interval: Duration = .seconds(5)) {
        self.folder = folder
        self.name = name
        self.bytes = bytes
        self.interval = interval
        state = Mutex(.awaited(.now))
        state.withLock { $0 = begin() }
    }

    private func begin() -> State {
        if let held = try? find(atLeast: bytes) { return .held(held) }
        let allocation = try? allocate()
        if case .taken(let file) = allocation { return .held(file) }
        if let rest = try? find(atLeast: 1) { return .held(rest) }
        if case .impossible = allocation { return .absent }
        // An earlier process gave all of it back, and ended before it could take it again.
        if (try? find(atLeast: 0)) != nil { return .released }
        return .awaited(.now + interval)
    }

    /// Releases the space.
    ///
    /// - Returns: Whether there was any.
    @discardableResult
    public func release() -> Bool {
        state.withLock { state in
            guard case .held(let file) = state else { return false }
            state = .released
            return (try? file.truncate(to: 0)) != nil
        }
    }

    /// Takes the room again that was given back, or that was not there at the start, once there is twice as much, so
    /// that it does not take the last.
    ///
    /// - Returns: Whether no space is released any more.
    @discardableResult
    public func restore() -> Bool {
        state.withLock { state in
            switch state {
            case .absent, .held: return true
            case .awaited(let next):
                guard ContinuousClock.now >= next else { return true }
                state = after(try? allocate(), else: .awaited(.now + interval))
                return true
            case .released:
                state = after(try? allocate(), else: .released)
                if case .released = state { return false }
                return true
            }
        }
    }

    private func after(_ allocation: AllocationResult?, else state: State) -> State {
        switch allocation {
        case .taken(let file): .held(file)
        case .impossible: .absent
        case .noRoom, nil: state
        }
    }

    /// Allocates what is left of the released space, so that the next process finds some whatever others write. Call it
    /// after the last write.
    public func keepRemainder() {
        state.withLock { state in
            guard case .released = state, let free = try? folder.freeBytes(), free > 0,
                let file = try? folder.openFile(named: name, access: .createIfMissing, mode: 0o600),
                (try? file.allocate(to: min(bytes, free))) == true
            else { return }
            state = .held(file)
        }
    }

    private func find(atLeast least: Int64) throws(SystemError) -> File? {
        let file = try folder.openFile(named: name, access: .update)
        return try file.information().allocatedBytes >= least ? file : nil
    }

    private func allocate() throws(SystemError) -> AllocationResult {
        guard try folder.freeBytes() / 2 >= bytes else { return .noRoom }
        let file = try folder.openFile(named: name, access: .createIfMissing, mode: 0o600)
        do {
            guard try file.allocate(to: bytes) else { return .impossible }
            // A listing of the folder then shows the reserved size.
            try file.truncate(to: bytes)
            return .taken(file)
        } catch {
            try? file.truncate(to: 0)
            throw error
        }
    }
}
