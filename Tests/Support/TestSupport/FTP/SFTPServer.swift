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
    /// The type and the base64 of each key.
    public let keys: [String]

    /// - Parameters:
    ///   - files: The served files by name. Each was changed when ``Content/lastModified`` says.
    ///   - limit: The number of bytes after which a connection is closed; nil for none.
    ///   - keyTypes: The types of its keys.
    public init(
        _ files: [String: Content],
        limit: Int64? = nil,
        keyTypes: [String] = ["ssh-ed25519"]
    ) async throws {
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
            ["-W", "ignore", script, folder("files"), Self.password, "\(limit ?? 0)"] + keyTypes,
            environment: ["PATH": "/usr/bin"]
        )
        var words: [Substring] = []
        for await line in program.errorLines {
            words = line.split(separator: " ")
            break
        }
        guard words.count == 1 + 2 * keyTypes.count, let port = UInt16(words[0]) else {
            throw Unavailable(reason: "sftp-server wrote \(words); scripts/deps suite installs what it needs")
        }
        self.port = port
        knownHostsFile = folder("known_hosts")
        keys = stride(from: 1, to: words.count, by: 2).map { "\(words[$0]) \(words[$0 + 1])" }
        know(keys.map { "[127.0.0.1]:\(port) \($0)" })
    }

    /// Replaces the lines of ``knownHostsFile``.
    public func know(_ lines: [String]) {
        folder.write(lines.map { "\($0)\n" }.joined(), to: "known_hosts")
    }

    public func url(_ name: String = "file.bin") -> String { "sftp://127.0.0.1:\(port)/\(name)" }

    /// Why there is no server.
    public struct Unavailable: Error {
        let reason: String
    }
}
