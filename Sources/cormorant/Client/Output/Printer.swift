import Application
import Client
import FoundationEssentials
import Linux

/// Writes results to standard output.
struct Printer {
    let format: OutputFormat
    let isColoured = StandardStream.output.isColoured
    /// The width of the terminal; nil where nothing is shortened.
    let width: Int? = StandardStream.output.isTerminal ? StandardStream.output.columns : nil

    init(_ format: OutputFormat) { self.format = format }

    /// Whether the form is one for people.
    var isForPeople: Bool { format == .table || format == .wide }

    /// Prints a line. Text of others in it is printable.
    func line(_ text: String) throws { try StandardStream.output.putStyled(text + "\n") }

    /// Prints lines. Text of others in them is printable.
    func lines(_ lines: [String]) throws {
        guard !lines.isEmpty else { return }
        try StandardStream.output.putStyled(lines.map { $0 + "\n" }.joined())
    }

    /// Prints a list in the chosen form.
    ///
    /// - Parameters:
    ///   - raw: The JSON of each item.
    ///   - names: What `-o name` prints.
    ///   - table: The table; its argument says whether it is the wide one.
    ///   - empty: What is said on standard error if there is nothing.
    func list(
        _ raw: [[UInt8]],
        names: [String],
        empty: String,
        table: (_ isWide: Bool) -> Table
    ) throws {
        switch format {
        case .json: try array(raw)
        case .jsonl: try lines(raw.map(RawJSON.line))
        case .name: try lines(names.map(\.printable))
        case .table, .wide:
            guard !raw.isEmpty else {
                StandardStream.error.tell(empty + "\n")
                return
            }
            try lines(table(format == .wide).lines(width: width, isColoured: isColoured))
        }
    }

    /// Prints several values of JSON in the form that `-o json` has: one array.
    func array(_ raw: [[UInt8]]) throws {
        try line(
            RawJSON.indented([UInt8(ascii: "[")] + raw.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")])
        )
    }

    /// Prints one resource in the chosen form.
    func item(_ raw: [UInt8], name: String, fields: (_ isWide: Bool) -> [Field]) throws {
        switch format {
        case .json: try line(RawJSON.indented(raw))
        case .jsonl: try line(RawJSON.line(raw))
        case .name: try line(name.printable)
        case .table, .wide:
            try lines(Field.lines(fields(format == .wide), width: width, isColoured: isColoured))
        }
    }
}

/// Prints the results of a command one after the other. With `-o json` they are one value at the end: an array, unless
/// the command line names only one thing.
struct ResultPrinter {
    let printer: Printer
    let isSeveral: Bool
    private var raw: [[UInt8]] = []

    init(_ format: OutputFormat, isSeveral: Bool) {
        printer = Printer(format)
        self.isSeveral = isSeveral
    }

    /// - Parameters:
    ///   - raw: The JSON of the result.
    ///   - name: What `-o name` prints.
    ///   - text: What is printed for people. It is plain, with colours at most.
    mutating func add(_ raw: [UInt8], name: String, text: (_ isWide: Bool) -> [String]) throws {
        switch printer.format {
        case .json: self.raw.append(raw)
        case .jsonl: try printer.line(RawJSON.line(raw))
        case .name: try printer.line(name.printable)
        case .table, .wide: try printer.lines(text(printer.format == .wide))
        }
    }

    /// Prints what `-o json` has gathered.
    func end() throws {
        guard printer.format == .json else { return }
        if isSeveral { try printer.array(raw) } else if let one = raw.first { try printer.line(RawJSON.indented(one)) }
    }
}

/// One line of a resource: a name and a value.
struct Field {
    let name: String
    let value: String
    let style: TextStyle

    /// - Returns: nil without a value.
    init?(_ name: String, _ value: String?, _ style: TextStyle = .plain) {
        guard let value, !value.isEmpty else { return nil }
        self.name = name
        self.value = value.printable
        self.style = style
    }

    /// - Parameter width: The columns of the terminal; nil if nothing is wrapped.
    static func lines(_ fields: [Field], width: Int?, isColoured: Bool) -> [String] {
        let names = fields.map(\.name.columns).max() ?? 0
        return fields.flatMap { field in
            field.value.wrapped(to: width.map { max($0 - names - 2, 20) }).enumerated().map { index, line in
                let name = (index == 0 ? field.name : "").fitted(to: names)
                return TextStyle.dim.apply(name, isColoured: isColoured) + "  "
                    + field.style.apply(line, isColoured: isColoured)
            }
        }
    }
}

/// Values as text for people.
enum Shown {
    static func size(_ bytes: Int64?) -> String? { bytes.map { ByteSize.rounded($0) } }

    static func rate(_ bytesPerSecond: Int64?) -> String? { bytesPerSecond.map { ByteSize.rounded($0) + "/s" } }

    /// `3 m ago`, or `in 3 m`.
    static func age(_ date: Date?, now: Date = Date()) -> String? {
        guard let date else { return nil }
        let seconds = now.timeIntervalSince(date)
        return seconds < -0.5 ? "in \(span(-seconds))" : "\(span(seconds)) ago"
    }

    /// One number and one unit: `42 s`, `3 m`, `5 h`, `12 d`.
    static func span(_ seconds: Double) -> String {
        let units: [(String, Double)] = [("d", 86_400), ("h", 3600), ("m", 60)]
        for (unit, length) in units where seconds >= length { return "\(Int(seconds / length)) \(unit)" }
        return "\(max(0, Int(seconds))) s"
    }

    static func instant(_ date: Date?) -> String? { date.map { InstantText.text($0) } }

    /// An instant and how far away it is.
    static func instantAndAge(_ date: Date?) -> String? {
        date.flatMap { date in age(date).map { "\(InstantText.text(date)) (\($0))" } }
    }

    static func percent(_ done: Int64?, _ total: Int64?) -> String? {
        guard let done, let total, total > 0 else { return nil }
        return "\(min(100, Int(Double(done) / Double(total) * 100))) %"
    }
}
