/// A list of URLs: one in each line.
enum URLList {
    struct Line: Hashable {
        let number: Int
        let url: String
    }

    /// Empty lines and lines that begin with `#` are skipped; white space around a URL does not count.
    static func parse(_ text: String) -> [Line] {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated().compactMap {
            index,
            line in
            let url = line.drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()
            guard let first = url.first, first != "#" else { return nil }
            return Line(number: index + 1, url: String(url))
        }
    }
}
