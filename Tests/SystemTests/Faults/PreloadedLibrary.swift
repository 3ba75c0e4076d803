import Foundation
import TestSupport

/// A library of this folder that a program loads before the C library (`LD_PRELOAD`), built for the tests of one run.
struct PreloadedLibrary {
    struct NotBuilt: Error {}

    static let folder = TemporaryFolder()

    let path: String

    /// - Parameter source: The name of its source, without `.c`.
    init(_ source: String) throws {
        let text = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("\(source).c")
            .path
        path = Self.folder("\(source).so")
        // The first compiler that there is.
        let build = #""$(command -v cc clang gcc | head -n 1)" -shared -fPIC -o "$1" "$2" -ldl"#
        try Self.run(build, path, text)
    }

    /// Runs a line of the shell.
    static func run(_ line: String, _ arguments: String...) throws {
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", line, "sh"] + arguments
        try shell.run()
        shell.waitUntilExit()
        guard shell.terminationStatus == 0 else { throw NotBuilt() }
    }
}
