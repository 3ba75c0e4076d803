// The standard library has Unicode normalization for its own comparisons; swift-foundation reaches it in the same way.
@_spi(_Unicode) import Swift

/// A folder below the downloads folder, as a client names it: `isos/debian`.
public struct RelativeDirectory: Hashable, Sendable, CustomStringConvertible {
    /// Its parts, from the outermost in; at least one.
    public let parts: [String]

    /// The limit of the whole path, in bytes of UTF-8.
    public static let maximumBytes = 1024

    /// Parses a path. It is accepted or refused, never changed; each part follows the rules of a file name.
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

extension String {
    /// The text in normalization form C, in which equal-looking names have equal bytes (Unicode Standard Annex 15).
    var composed: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: _nfc)
        return String(scalars)
    }

    /// The longest beginning that has at most `limit` bytes of UTF-8 and, if possible, cuts no character.
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

    /// For a first character that is too long by itself: a letter under hundreds of accents.
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
