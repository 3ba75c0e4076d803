@testable import Store

extension Store {
    /// Runs a statement on the connection that writes, to make it fail as a test wants.
    func execute(_ statement: String) async throws {
        try await writer.write { try $0.execute(statement, []) }
    }
}
