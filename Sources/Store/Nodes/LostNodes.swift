/// The nodes whose work another node takes over. A node is one run of a process of the service.
public enum LostNodes: Hashable, Sendable {
    /// Every earlier node: the lock on the data folder proves that they have ended, and this one has claimed nothing
    /// yet.
    case all
    case these([String])

    /// An SQL condition that work belongs to one of them.
    ///
    /// - Parameter column: The column with the node.
    func condition(_ column: String) -> Statement {
        switch self {
        case .all: Statement("1 = 1")
        case .these(let nodes): Statement("\(column) {in ?}", [SQLValue.texts(nodes)])
        }
    }
}
