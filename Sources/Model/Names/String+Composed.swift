// The standard library has Unicode normalization for its own comparisons; swift-foundation reaches it in the same way.
@_spi(_Unicode) import Swift

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
        var kept = ""
        var count = 0
        for character in self {
            count += character.utf8.count
            if count > limit { break }
            kept.append(character)
        }
        return kept.isEmpty ? scalarPrefix(bytes: limit) : kept
    }

    /// For a first character that alone is too long: a letter under hundreds of accents.
    private func scalarPrefix(bytes limit: Int) -> String {
        var kept = String.UnicodeScalarView()
        var count = 0
        for scalar in unicodeScalars {
            count += UTF8.width(scalar)
            if count > limit { break }
            kept.append(scalar)
        }
        return String(kept)
    }
}
