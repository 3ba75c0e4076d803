extension String {
    /// How many columns of a terminal the text takes: two for East Asian wide characters and emoji (Unicode Standard
    /// Annex 11), none for what combines with the character before it.
    var columns: Int { reduce(0) { $0 + $1.columns } }

    /// Filled up with spaces, or cut with an ellipsis, to exactly `width` columns.
    func fitted(to width: Int) -> String {
        let taken = columns
        guard taken > width else { return self + String(repeating: " ", count: width - taken) }
        guard width > 0 else { return "" }
        var text = ""
        var used = 0
        for character in self {
            guard used + character.columns <= width - 1 else { break }
            text.append(character)
            used += character.columns
        }
        return text + "…" + String(repeating: " ", count: width - 1 - used)
    }
}

extension Character {
    fileprivate var columns: Int {
        guard let scalar = unicodeScalars.first else { return 0 }
        switch scalar.value {
        case 0..<0x20, 0x7F: return 0
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
