/// Rows in aligned columns.
struct Table {
    struct Column: Hashable {
        var title: String
        var isRight = false
        /// Whether it is shortened where the terminal is narrow.
        var isFlexible = false
        /// Columns of a lower rank are left out first where the terminal is too narrow; nil is never left out.
        var rank: Int?
    }

    struct Cell: Hashable {
        var text: String
        var style = TextStyle.plain

        init(_ text: String?, _ style: TextStyle = .plain) {
            // A name may have a character that would move the cursor.
            self.text = (text ?? "-").printable
            self.style = style
        }
    }

    let columns: [Column]
    var rows: [[Cell]] = []

    private static let leastFlexible = 12

    init(_ columns: [Column]) { self.columns = columns }

    /// The lines, with a line of titles.
    ///
    /// - Parameters:
    ///   - width: The columns of the terminal; nil if nothing is shortened or left out.
    func lines(width: Int?, isColoured: Bool) -> [String] {
        let shown = shownColumns(within: width)
        let widths = widths(of: shown, within: width)
        let titles = columns.map { Cell($0.title, .dim) }
        return ([titles] + rows).map { row in
            var line = ""
            for (index, width) in zip(shown, widths) {
                let cell = row[index]
                let isLast = index == shown.last
                let text = cell.text.cut(to: width)
                let padding = String(repeating: " ", count: max(width - text.columns, 0))
                let styled = cell.style.apply(text, isColoured: isColoured)
                line += columns[index].isRight ? padding + styled : isLast ? styled : styled + padding
                if !isLast { line += "  " }
            }
            return line
        }
    }

    /// The columns that have room: those without a value are left out first, then those of the lowest rank.
    private func shownColumns(within width: Int?) -> [Int] {
        var shown = Array(columns.indices)
        guard let width else { return shown }
        let optional = columns.indices.filter { columns[$0].rank != nil }
        let byRank = optional.sorted { (columns[$0].rank ?? 0) < (columns[$1].rank ?? 0) }
        let empty = byRank.filter { index in rows.allSatisfy { $0[index].text == "-" } }
        for index in empty + byRank {
            guard widths(of: shown, within: width).reduce(2 * (shown.count - 1), +) > width else { break }
            shown.removeAll { $0 == index }
        }
        return shown
    }

    private func widths(of shown: [Int], within width: Int?) -> [Int] {
        var widths = shown.map { index in
            rows.reduce(columns[index].title.columns) { max($0, $1[index].text.columns) }
        }
        guard let width else { return widths }
        var excess = widths.reduce(2 * (widths.count - 1), +) - width
        let flexible = shown.indices.filter { columns[shown[$0]].isFlexible }
        while excess > 0, let widest = flexible.max(by: { widths[$0] < widths[$1] }),
            widths[widest] > Self.leastFlexible
        {
            // Level the two widest first, so that no column disappears for another.
            let next = flexible.filter { $0 != widest }.map { widths[$0] }.max() ?? Self.leastFlexible
            let step = min(excess, max(1, widths[widest] - max(next, Self.leastFlexible)))
            widths[widest] -= step
            excess -= step
        }
        return widths
    }
}
