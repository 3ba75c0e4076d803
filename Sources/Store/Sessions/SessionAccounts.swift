import Core

/// The accounts of sessions that a transaction has read or changed. Each is written once, before the commit.
struct SessionAccounts: Sendable {
    private struct Entry {
        /// As it is in the row.
        var stored: SessionAccount
        var current: SessionAccount
    }

    /// Above this number all are forgotten.
    private static let capacity = 256

    private var entries: [SessionName: Entry] = [:]

    subscript(name: SessionName) -> SessionAccount? { entries[name]?.current }

    /// Adds an account that has just been read or inserted.
    mutating func add(_ account: SessionAccount) {
        entries[account.session.name] = Entry(stored: account, current: account)
    }

    /// - Returns: nil if the account was not added before.
    mutating func change<Value>(_ name: SessionName, _ change: (inout SessionAccount) -> Value) -> Value? {
        guard let index = entries.index(forKey: name) else { return nil }
        return change(&entries.values[index].current)
    }

    /// The changed accounts, each with the one that is in its row. They count as written afterwards.
    mutating func removeChanges() -> [(old: SessionAccount, new: SessionAccount)] {
        var changes: [(old: SessionAccount, new: SessionAccount)] = []
        for index in entries.values.indices where entries.values[index].current != entries.values[index].stored {
            let entry = entries.values[index]
            changes.append((entry.stored, entry.current))
            entries.values[index].stored = entry.current
        }
        return changes
    }

    mutating func forgetAll() { entries.removeAll(keepingCapacity: true) }

    /// Keeps the number of accounts small from one transaction to the next.
    mutating func trim() {
        if entries.count > Self.capacity { forgetAll() }
    }
}
