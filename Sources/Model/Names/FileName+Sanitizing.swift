extension FileName {
    /// Makes a safe name of any text, such as a name that an origin sent; `download` when nothing is left of it.
    ///
    /// Of a path the last component counts. Control and direction characters go, leading dots and outer spaces too; a
    /// Windows device gets an underscore in front; a long name is shortened before its extension.
    public init(sanitizing text: String) {
        self = Self.sanitized(text) ?? .download
    }

    /// As `init(sanitizing:)`, but nil when nothing is left. Room stays for every number that ``candidates(for:)``
    /// adds.
    static func sanitized(_ text: String) -> FileName? {
        let lastComponent = text.unicodeScalars.reversed().prefix { !NameRules.isSeparator($0) }
        var scalars = String.UnicodeScalarView()
        scalars.append(
            contentsOf: lastComponent.reversed().filter { !NameRules.isControl($0) && !NameRules.isBidiControl($0) }
        )
        let trimmed = trim(String(scalars).composed)
        guard !trimmed.unicodeScalars.allSatisfy(NameRules.isUnseen) else { return nil }
        let safe = NameRules.isReserved(trimmed) ? "_" + trimmed : trimmed
        return FileName(unchecked: shorten(safe, to: maximumBytes - numberBytes))
    }

    /// Drops leading dots, white space and what is not seen, and trailing ones.
    private static func trim(_ name: String) -> String {
        let isOuter = { (scalar: Unicode.Scalar) in scalar == "." || NameRules.isSpace(scalar) }
        let front = name.unicodeScalars.drop(while: isOuter)
        let count = front.reversed().drop(while: isOuter).count
        return String(front.prefix(count))
    }

    /// Shortens a name to `limit` bytes by cutting its stem.
    static func shorten(_ name: String, to limit: Int) -> String {
        guard name.utf8.count > limit else { return name }
        let (stem, suffix) = split(name)
        return trim(stem.prefix(bytes: limit - suffix.utf8.count)) + suffix
    }
}
