/// A folder below the downloads folder that a client chooses: `isos/debian`.
public struct RelativeDirectory: Hashable, Sendable, CustomStringConvertible {
    /// The components, from the outermost; at least one.
    public let parts: [String]

    /// The maximum length of the path, in bytes of UTF-8.
    public static let maximumBytes = 1024

    /// Validates a path. It is accepted or refused, but never changed. Each component follows the rules of a file name.
    public init(validating path: String) throws(InvalidName) {
        if path.isEmpty { throw .empty }
        if path.utf8.count > Self.maximumBytes { throw .tooLong }
        // Split by scalars: in a `Character`, a combining mark after a slash would hide the slash.
        let parts = path.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
        if parts[0].isEmpty { throw .separator }
        for part in parts {
            if let fault = NameRules.fault(inComponent: part) { throw fault }
        }
        self.parts = parts
    }

    /// The components joined by slashes, without a slash at the start or the end.
    public var path: String { parts.joined(separator: "/") }

    public var description: String { path }
}

extension String {
    /// The longest prefix of at most `limit` bytes of UTF-8. It splits no character, unless the first one is longer
    /// than that.
    func prefix(bytes limit: Int) -> String {
        var result = ""
        var count = 0
        for character in self {
            count += character.utf8.count
            if count > limit { break }
            result.append(character)
        }
        return result.isEmpty ? scalarPrefix(bytes: limit) : result
    }

    /// The longest prefix of whole scalars, for a first character above the limit, such as a letter with hundreds of
    /// accents.
    private func scalarPrefix(bytes limit: Int) -> String {
        var result = String.UnicodeScalarView()
        var count = 0
        for scalar in unicodeScalars {
            count += UTF8.width(scalar)
            if count > limit { break }
            result.append(scalar)
        }
        return String(result)
    }
}
