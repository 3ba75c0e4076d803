/// Finds the name that a misspelled one probably stands for.
public enum Spelling {
    /// A longer name is no spelling mistake, and comparing it would take long.
    private static let longest = 64

    /// The known name nearest to `name`, if they differ in at most two letters and in less than half of them, or only
    /// in underscores and hyphens.
    ///
    /// - Returns: nil if no name is near, or `name` is longer than 64 bytes.
    public static func nearest(to name: String, in known: some Sequence<String>) -> String? {
        guard name.utf8.count <= longest else { return nil }
        let letters = Array(name.utf8)
        var best: (name: String, distance: Int)?
        for candidate in known {
            let distance = isSame(name, candidate) ? 0 : distance(letters, Array(candidate.utf8))
            if distance <= 2, distance * 2 < letters.count, distance < best?.distance ?? .max {
                best = (candidate, distance)
            }
        }
        return best?.name
    }

    /// `file_name`, `file-name` and `filename` are the same name.
    private static func isSame(_ first: String, _ second: String) -> Bool {
        let separators: Set<Character> = ["_", "-"]
        return first.filter { !separators.contains($0) }.lowercased()
            == second.filter { !separators.contains($0) }.lowercased()
    }

    /// How many letters to add, remove or replace (Levenshtein distance).
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
