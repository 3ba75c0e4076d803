import Synchronization

/// Reserves space on a file system for essential writes when the disk is full. The reserve is an allocated file without
/// content.
///
/// A file system that cannot allocate has no reserve. If there is too little space at the start, the allocation is
/// tried again later. Every call may block.
public final class SpaceReserve: Sendable {
    private enum State {
        /// The file system cannot allocate space.
        case absent
        /// There was too little space. The next attempt is due at that instant.
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

    /// Allocates the space if possible. A file of an earlier process is reused.
    ///
    /// - Parameter interval: The time between attempts while there is too little space.
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
        // An earlier process released all of it and ended before it could restore it.
        if (try? find(atLeast: 0)) != nil { return .released }
        return .awaited(.now + interval)
    }

    /// Releases the space.
    ///
    /// - Returns: Whether there was a reserve to release.
    @discardableResult
    public func release() -> Bool {
        state.withLock { state in
            guard case .held(let file) = state else { return false }
            state = .released
            return (try? file.truncate(to: 0)) != nil
        }
    }

    /// Allocates the released space again, or the space that was missing at the start. It requires twice as much free
    /// space, so that it does not take the last of it.
    ///
    /// - Returns: False while the space is still released.
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

    /// Allocates what is left of the released space, so that the next process has some reserve even if other programs
    /// fill the disk. Call it after the last write.
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
            // `ls -l` then shows the reserved size.
            try file.truncate(to: bytes)
            return .taken(file)
        } catch {
            try? file.truncate(to: 0)
            throw error
        }
    }
}
