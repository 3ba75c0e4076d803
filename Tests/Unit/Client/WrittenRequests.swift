import Foundation
import Testing

/// The requests that the source of the client has: `GET /downloads/x`, with `x` in place of what is inserted.
enum WrittenRequests {
    private static let folder: URL = {
        var root = URL(filePath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        return root.appending(path: "Sources/Client")
    }()

    /// Those of the public methods of `CormorantClient`.
    static func ofPublicMethods() throws -> Set<String> {
        // A method, where it is not GET, and a path, as one text or as segments.
        let request =
            #/
            (?:APIRequest | \bget | \braw | \bsend | \bPages)\(
            \s* (?:client:\x20self,\x20path:\x20)? (?:"(?<method>[A-Z]+)",\s*)?
            (?:APIRequest\.path\((?<segments>[^()]+)\) | "(?<path>\/[^"\\]*)")
            /#
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var found: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            for method in try publicMethods(of: String(contentsOf: file, encoding: .utf8)) {
                for match in method.matches(of: request) {
                    let path = match.segments.map(path(of:)) ?? match.path.map { String($0) } ?? ""
                    found.insert("\(match.method ?? "GET") \(path)")
                }
            }
        }
        return found
    }

    /// The texts of the methods, each up to the next declaration.
    private static func publicMethods(of source: String) -> [String] {
        source.matches(of: /(?ms)^extension CormorantClient \{.*?^\}/).flatMap { body in
            body.output.split(separator: /(?m)^    (?=(?:\w+ )*func )/).filter { $0.hasPrefix("public") }.map {
                String($0)
            }
        }
    }

    /// A segment without quotes is inserted.
    private static func path(of segments: Substring) -> String {
        segments.split(separator: /,\s*/).map { $0.hasPrefix("\"") ? "/\($0.dropFirst().dropLast())" : "/x" }.joined()
    }
}
