import Foundation
import Testing
import TestSupport

/// How the program is linked.
@Suite(.timeLimit(.minutes(5)))
struct HardeningTests {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../scripts/hardening").standardizedFileURL.path
    private static let hasTool = FileManager.default.isExecutableFile(atPath: "/usr/bin/readelf")

    /// A development build finds the toolchain's libraries by a path of its own; a release has none, which the
    /// Dockerfile and `scripts/run` hold.
    @Test(.enabled(if: hasTool, "readelf (binutils) is missing"))
    func theProgramsTablesAreReadOnlyOnceItRuns() async throws {
        let check = try await Program(
            Self.script,
            ["--development", Program.cormorantPath],
            environment: ["PATH": "/usr/bin:/bin"]
        ).result()

        #expect(check.exitCode == 0, "\(check.errors)")
    }
}
