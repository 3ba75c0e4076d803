import Foundation

/// An SFTP server on loopback, which `Tests/Support/sftp-server` is. It is gone with this object.
public final class SFTPServer: Sendable {
    public static let user = "someone"
    public static let password = "secret"

    private let program: Program
    private let folder: TemporaryFolder
    public let port: UInt16
    /// A file with its key, in the format of `known_hosts`.
    public let knownHostsFile: String

    /// - Parameters:
    ///   - files: The served files by name. Each was changed when ``Content/lastModified`` says.
    ///   - limit: The number of bytes after which a connection is closed; nil for none.
    public init(_ files: [String: Content], limit: Int64? = nil) async throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../sftp-server").standardizedFileURL.path
        folder = TemporaryFolder()
        for (name, content) in files {
            let path = folder("files/\(name)")
            let file = URL(fileURLWithPath: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(content.allBytes).write(to: file)
            let time = Date(timeIntervalSince1970: TimeInterval(784_111_740 + content.version % 60))
            try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path)
        }
        program = try await Program(
            "/usr/bin/python3",
            ["-W", "ignore", script, folder("files"), Self.password] + (limit.map { ["\($0)"] } ?? []),
            environment: ["PATH": "/usr/bin"]
        )
        var words: [Substring] = []
        for await line in program.errorLines {
            words = line.split(separator: " ")
            break
        }
        guard words.count == 3, let port = UInt16(words[0]) else {
            throw Unavailable(reason: "sftp-server wrote \(words); scripts/deps suite installs what it needs")
        }
        self.port = port
        knownHostsFile = folder("known_hosts")
        folder.write("[127.0.0.1]:\(port) \(words[1]) \(words[2])\n", to: "known_hosts")
    }

    public func url(_ name: String = "file.bin") -> String { "sftp://127.0.0.1:\(port)/\(name)" }

    /// Why there is no server.
    public struct Unavailable: Error {
        let reason: String
    }
}
