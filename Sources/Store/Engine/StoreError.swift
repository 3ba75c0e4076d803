/// Why the store could not do what was asked; nothing of the call was kept, but for ``outcomeUnknown``.
public enum StoreError: Error, Hashable, Sendable {
    /// The database was made by a newer version of the program.
    case newerSchema
    /// The file cannot be opened, or a setting that durability rests on was not taken.
    case cannotOpen(String)
    /// The disk is full: a known roll-back. Reading goes on.
    case full
    /// The disk failed while a transaction was being committed. Whether it happened is known after a restart only.
    case outcomeUnknown
    /// A download would hold more bytes than its session has room for.
    case quotaExceeded
    /// Another process holds the database file.
    case busy
    /// The system did not give what was needed: the disk answered with an error, or there was no memory.
    case failed(String)
    /// The database file is damaged.
    case corrupt(String)
    /// A rule of the schema refused the row: a defect of the program.
    case refused(String)
    /// The database was asked for what it cannot do: a defect of the program.
    case misuse(String)
    /// The database holds what this version cannot read.
    case unreadable(String)
    /// So do the rows of these downloads.
    case unreadableDownloads([UnreadableDownload])
    /// The store was closed.
    case closed

    /// Whether this process must write nothing more. A new start reads what is there, or an operator repairs it.
    public var endsService: Bool {
        switch self {
        case .outcomeUnknown, .corrupt: true
        case .newerSchema, .cannotOpen, .full, .quotaExceeded, .busy, .failed, .refused, .misuse, .unreadable,
            .unreadableDownloads, .closed:
            false
        }
    }
}
