import Application
import Linux

/// Text of others cannot control the terminal: names that origins chose, answers of a service, files to import.
extension String {
    /// The text with control characters replaced.
    var printable: String { printable { _ in false } }

    /// The text with control characters replaced, except line feeds and tabs.
    var printableLines: String { printable { $0 == "\n" || $0 == "\t" } }

    private func printable(except isKept: (Unicode.Scalar) -> Bool) -> String {
        guard unicodeScalars.contains(where: { $0.isControl && !isKept($0) }) else { return self }
        return String(UnicodeScalarView(unicodeScalars.map { $0.isControl && !isKept($0) ? "\u{FFFD}" : $0 }))
    }
}

extension Unicode.Scalar {
    /// Whether it is a control character (C0, DEL, C1), a separator of lines or paragraphs, or one that changes the
    /// direction of text (UAX 9, section 2).
    var isControl: Bool {
        switch value {
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

extension StandardStream {
    /// Writes the output of a command: plain text. The command fails if the output cannot be written.
    func put(_ text: String) throws(CommandFailure) { try putStyled(text.printableLines) }

    /// Writes text that has colours, or that the program has by itself. Text of others in it is `printable`.
    func putStyled(_ text: String) throws(CommandFailure) {
        guard write(text) else { throw CommandFailure(.inputOutput, "cannot write to standard output") }
    }

    /// Writes plain text for a person.
    func tell(_ text: String) { write(text.printableLines) }
}
