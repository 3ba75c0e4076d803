import Model

/// What a client waits for.
enum WaitGoal {
    case terminal
    /// Another revision than this; nil for the one that the download has now.
    case change(from: Int64?)

    /// - Returns: nil where the client waits for nothing.
    init?(_ query: Query) throws(Problem) {
        let revision = try query.number("after_revision")
        switch query["until"] {
        case nil: return nil
        case "terminal": self = .terminal
        case "change": self = .change(from: revision)
        default: throw query.refusal("until", "It is 'terminal' or 'change'.")
        }
    }

    /// - Parameter current: The download as it was when the client began to wait.
    func isReached(_ download: Download, from current: Download) -> Bool {
        switch self {
        case .terminal: download.state.isTerminal
        case .change(let revision): download.revision != revision ?? current.revision
        }
    }
}
