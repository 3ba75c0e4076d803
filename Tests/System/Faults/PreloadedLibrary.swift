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

/// The built program under valgrind(1), which sees every access to memory that is not the program's.
enum Valgrind {
    /// Whether it is installed, with what prepares the program for it.
    static let isAllowed = tool != nil && (try? prepared.get()) != nil
    static let reason = "valgrind, a C compiler, or strip is not in the path"
    /// What the program ends with when an access was wrong.
    static let faultCode: Int32 = 99

    private static let tool = ["/usr/bin/valgrind", "/usr/local/bin/valgrind"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// The library that it needs, and a copy of the program without the debug information that it cannot read.
    private static let prepared = Result {
        let program = PreloadedLibrary.folder("cormorant")
        try PreloadedLibrary.run(#"strip -g -o "$1" "$2""#, program, Program.cormorantPath)
        return (library: try PreloadedLibrary("valgrind").path, program: program)
    }

    static func result(of arguments: [String]) async throws -> Program.Result {
        let (library, copy) = try prepared.get()
        let options = ["--error-exitcode=\(faultCode)", "--leak-check=no", "--undef-value-errors=no"]
        let program = try await Program(
            tool ?? "",
            options + [copy] + arguments,
            environment: ProcessInfo.processInfo.environment.merging(["LD_PRELOAD": library]) { $1 }
        )
        return try await program.result()
    }
}
