import Foundation

extension Program {
    /// Where the program of this package lies: beside the tests, which are an executable too.
    public static var cormorantPath: String {
        let running = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let beside = Self.sibling(of: running)
        if FileManager.default.isExecutableFile(atPath: beside) { return beside }
        // A toolchain whose helper loads the tests as a library names them in its arguments.
        return Self.sibling(of: CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? running)
    }

    private static func sibling(of path: String) -> String {
        URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent("cormorant").path
    }
}
