/// Text that fits a terminal: lines end between words.
extension String {
    /// The lines of the text, broken at blanks. A word that is longer than a line stays whole.
    ///
    /// - Parameters:
    ///   - width: The columns of a line; nil for one line.
    ///   - indent: The columns before each line but the first.
    func wrapped(to width: Int?, indent: Int = 0) -> [String] {
        guard let width, columns > width else { return [self] }
        let margin = String(repeating: " ", count: indent < width / 2 ? indent : 0)
        var lines: [String] = []
        var line = ""
        for word in split(separator: " ", omittingEmptySubsequences: false).map({ String($0) }) {
            let isFirst = lines.isEmpty && line.isEmpty
            if !isFirst && line != margin && line.columns + 1 + word.columns > width {
                lines.append(line)
                line = margin + word
            } else {
                line += isFirst || line == margin ? word : " " + word
            }
        }
        return lines + [line]
    }

    /// The text of at most `width` columns, with an ellipsis for what is left out. It ends after a word if that leaves
    /// more than half.
    func cut(to width: Int) -> String {
        guard columns > width else { return self }
        let cut = fitted(to: width)
        guard let blank = cut.lastIndex(of: " "), cut.distance(from: cut.startIndex, to: blank) > width / 2,
            cut.last == "…"
        else { return cut }
        return cut[..<blank] + "…"
    }
}

/// The usage of a command, which the parser prints in one line.
enum UsageText {
    /// The text with its usage broken between options.
    static func wrapped(_ text: String, to width: Int) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let heading = ["USAGE: ", "Usage: "].first { line.hasPrefix($0) }
            guard let heading, line.count > width else { return String(line) }
            return joined(parts(line.dropFirst(heading.count)), heading, width)
        }.joined(separator: "\n")
    }

    private static func joined(_ parts: [Substring], _ heading: String, _ width: Int) -> String {
        var lines = [heading]
        for part in parts {
            let isEmpty = lines[lines.count - 1].allSatisfy { $0 == " " } || lines == [heading]
            if !isEmpty && lines[lines.count - 1].count + 1 + part.count > width {
                lines.append(String(repeating: " ", count: heading.count) + part)
            } else {
                lines[lines.count - 1] += (isEmpty ? "" : " ") + part
            }
        }
        return lines.joined(separator: "\n")
    }

    /// The words, and what is in brackets as one.
    private static func parts(_ line: Substring) -> [Substring] {
        var (parts, start, depth): ([Substring], Substring.Index, Int) = ([], line.startIndex, 0)
        for index in line.indices {
            switch line[index] {
            case "[": depth += 1
            case "]": depth -= 1
            case " " where depth == 0:
                parts.append(line[start..<index])
                start = line.index(after: index)
            default: break
            }
        }
        return parts + [line[start...]]
    }
}
