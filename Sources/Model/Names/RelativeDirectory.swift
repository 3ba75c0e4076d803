/// A folder below the downloads folder, as a client names it: `isos/debian`.
public struct RelativeDirectory: Hashable, Sendable, CustomStringConvertible {
    /// Its parts, from the outermost in; at least one.
    public let parts: [String]

    /// The limit of the whole path, in bytes of UTF-8.
    public static let maximumBytes = 1024

    /// Reads a path. It is taken as it is or refused, never changed; each part keeps the rules of a component.
    public init(validating path: String) throws(InvalidName) {
        if path.isEmpty { throw .empty }
        if path.utf8.count > Self.maximumBytes { throw .tooLong }
        // Split by scalars: a combining mark after the slash would hide it in a `Character`.
        let parts = path.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
        if parts[0].isEmpty { throw .separator }
        for part in parts {
            if let fault = NameRules.fault(inComponent: part) { throw fault }
        }
        self.parts = parts
    }

    /// The parts joined by slashes, without one in front or at the end.
    public var path: String { parts.joined(separator: "/") }

    public var description: String { path }
}
