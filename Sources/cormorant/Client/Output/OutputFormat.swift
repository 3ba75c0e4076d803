import ArgumentParser
import FoundationEssentials
import Linux

/// The form of a result on standard output.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
    /// Columns for people.
    case table
    /// More columns.
    case wide
    /// The JSON of the service, indented. Several items are one array.
    case json
    /// One line of JSON for each item.
    case jsonl
    /// Only ids or names, one in a line.
    case name
}

/// The form of the result, in every command that speaks to a service.
struct OutputOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: "The form of the result.")
    var output = OutputFormat.table
}

/// The name of a file, beside ``OutputOptions``.
struct FileNameOutputOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The form of the result: \(OutputFormat.allValueStrings.joined(separator: ", ")). --name names the file.",
            valueName: "output"
        ),
        completion: .list(OutputFormat.allValueStrings),
        transform: Self.format
    )
    var output = OutputFormat.table

    private static func format(_ text: String) throws -> OutputFormat {
        guard let format = OutputFormat(argument: text) else {
            let forms = OutputFormat.allValueStrings.joined(separator: ", ")
            throw ValidationError("-o expects the form of the result: \(forms). --name \(text) names the file.")
        }
        return format
    }
}

/// Colours of a terminal (ECMA-48, section 8.3.117). They repeat what a word says, and never stand alone.
enum TextStyle: String {
    case plain = ""
    case dim = "2"
    case bold = "1"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case blue = "36"

    func apply(_ text: String, isColoured: Bool) -> String {
        isColoured && self != .plain && !text.isEmpty ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }

    /// The style of a state of a download, a host or a delivery.
    static func state(_ word: some StringProtocol) -> TextStyle {
        switch word.prefix(while: { $0 != ":" && $0 != " " }) {
        case "running", "probing": .blue
        case "completed", "available", "succeeded", "enabled": .green
        case "failed", "blocked", "exhausted", "disabled": .red
        case "waiting", "throttled", "pending": .yellow
        case "cancelled", "paused": .dim
        default: .plain
        }
    }
}

extension StandardStream {
    /// Whether colours are shown: on a terminal, unless `NO_COLOR` is set (https://no-color.org) or it is a dumb one.
    var isColoured: Bool { isColoured(ProcessInfo.processInfo.environment) }

    func isColoured(_ environment: [String: String]) -> Bool {
        isTerminal && environment.value("NO_COLOR") == nil && environment["TERM"] != "dumb"
    }
}
