/// What has to be ended in order, whatever came of it.
enum Ending {
    /// Runs `body`, then `end`, also where `body` throws.
    ///
    /// - Throws: The error of `body`, after the end.
    static func run(_ body: () async throws -> Void, finally end: () async -> Void) async throws {
        do {
            try await body()
        } catch {
            await end()
            throw error
        }
        await end()
    }
}
