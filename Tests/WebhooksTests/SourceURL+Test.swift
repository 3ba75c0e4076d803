import Core

extension SourceURL {
    /// The address of a test's receiver: `http://127.0.0.1:port/path`.
    static func test(_ text: String) throws -> SourceURL {
        let parts = text.dropFirst("http://".count).split(separator: "/", maxSplits: 1)
        let port = parts[0].split(separator: ":").last.flatMap { UInt16($0) } ?? 80
        return SourceURL(text: text, scheme: "http", host: "127.0.0.1", port: port, path: "/\(parts[1])")
    }
}
