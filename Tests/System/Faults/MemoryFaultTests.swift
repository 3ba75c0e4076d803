import TestSupport
import Testing

/// Answers that would have the program touch memory that is not its own.
@Suite(.hangLimit, .enabled(if: Valgrind.isAllowed, Comment(rawValue: Valgrind.reason)))
struct MemoryFaultTests {
    /// The first field of an answer begins with white space, and its request follows one that had a good answer.
    @Test func anAnswerWhoseFirstFieldIsFoldedTouchesNoFreedMemory() async throws {
        let folder = TemporaryFolder()
        let folded = Behaviour { $0.leadingFields = [" X: y"] }
        let origin = Origin(script: [folded])
        origin.serve("/a", Content(size: 10), script: [.redirect(to: "/file")])
        defer { origin.stop() }

        let result = try await Valgrind.result(
            of: ["get", "--directory", folder.path, "--retry-for", "1s", origin.url("/a")]
        )

        #expect(result.errors.contains("ERROR SUMMARY: 0 errors"), Comment(rawValue: result.errors))
        #expect(result.exitCode != Valgrind.faultCode)
        #expect(origin.requests.map(\.target).starts(with: ["/a", "/file"]))
    }
}
