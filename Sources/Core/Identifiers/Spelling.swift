/// Suggests a known name for a misspelled one.
public enum Spelling {
    /// The longest name in bytes for which a suggestion is searched. It limits the cost of the comparison.
    private static let longest = 64

    /// The most similar known name. The names may differ only in underscores and hyphens, or in at most two letters and
    /// fewer than half of the letters.
    ///
    /// - Returns: nil if no name is similar, or if `name` is longer than 64 bytes.
    public static func nearest(to name: String, in known: some Sequence<String>) -> String? {
        guard name.utf8.count <= longest else { return nil }
        let letters = Array(name.utf8)
        let bare = withoutSeparators(name)
        var best: (name: String, distance: Int)?
        for candidate in known {
            let isSame = bare == withoutSeparators(candidate)
            // Each letter that one name has more is at least one change.
            guard isSame || abs(candidate.utf8.count - letters.count) <= 2 else { continue }
            let distance = isSame ? 0 : distance(letters, Array(candidate.utf8))
            if distance <= 2, distance * 2 < letters.count, distance < best?.distance ?? .max {
                best = (candidate, distance)
            }
        }
        return best?.name
    }

    /// The end of a refusal of an unknown name, with the nearest known one; empty if there is none.
    public static func hint(for name: String, among known: some Sequence<String>) -> String {
        nearest(to: name, in: known).map { " Did you mean \"\($0)\"?" } ?? ""
    }

    /// The letters without underscores and hyphens, in lower case: `file_name` and `FileName` are the same name.
    private static func withoutSeparators(_ name: String) -> [UInt8] {
        name.utf8.compactMap { byte in
            switch byte {
            case UInt8(ascii: "_"), UInt8(ascii: "-"): nil
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
            default: byte
            }
        }
    }

    /// The Levenshtein distance: the number of bytes to add, remove or replace.
    private static func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
        var row = Array(0...second.count)
        for (i, letter) in first.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in second.enumerated() {
                let above = row[j + 1]
                row[j + 1] = min(above + 1, row[j] + 1, diagonal + (letter == other ? 0 : 1))
                diagonal = above
            }
        }
        return row[second.count]
    }
}
