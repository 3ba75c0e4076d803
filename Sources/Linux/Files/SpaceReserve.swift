import Synchronization

/// Space on a file system that is reserved for essential writes on a full disk: a file without content.
///
/// If the file system cannot allocate, or had no room at the start, there is none. Every call may block.
public final class SpaceReserve: Sendable {
    private enum State {
        case absent
        case held(File)
        case released
    }

    private let folder: Directory
    private let name: String
    private let bytes: Int64
    private let state = Mutex(State.absent)

    /// Allocates the space if possible; a file of an earlier process is reused.
    public init(_ name: String, of bytes: Int64, in folder: Directory) {
        self.folder = folder
        self.name = name
        self.bytes = bytes
        let held = (try? find(atLeast: bytes)) ?? (try? allocate()) ?? (try? find(atLeast: 1))
        if let held { state.withLock { $0 = .held(held) } }
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

    /// Allocates the released space again once twice as much is free, so that it does not take the last.
    ///
    /// - Returns: Whether no space is released any more.
    @discardableResult
    public func restore() -> Bool {
        state.withLock { state in
            guard case .released = state else { return true }
            guard let file = try? allocate() else { return false }
            state = .held(file)
            return true
        }
    }

    /// Allocates what is left of the released space, so that the next process finds some whatever others write. Call it
    /// after the last write.
    public func keepWhatIsLeft() {
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

    private func allocate() throws(SystemError) -> File? {
        guard try folder.freeBytes() / 2 >= bytes else { return nil }
        let file = try folder.openFile(named: name, access: .createIfMissing, mode: 0o600)
        do {
            guard try file.allocate(to: bytes) else { return nil }
            // A listing of the folder then shows the reserved size.
            try file.truncate(to: bytes)
            return file
        } catch {
            try? file.truncate(to: 0)
            throw error
        }
    }
}
