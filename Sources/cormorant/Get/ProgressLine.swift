import Application

/// A file's progress as one line that fits the terminal: name, bar, percent, bytes, speed, remaining time.
///
/// Fields that do not fit are omitted, the least useful first: bar, remaining time, bytes, speed. The percentage, or
/// the state instead, is always shown. The name gets the remaining columns.
struct ProgressLine {
    private static let widestBar = 30
    private static let leastBar = 8
    private static let leastName = 12

    private let snapshot: ProgressSnapshot

    init(_ snapshot: ProgressSnapshot) {
        self.snapshot = snapshot
    }

    /// The line, of at most `width` columns.
    func text(width: Int) -> String {
        // A sentence is shortened rather than the name.
        if case .held(let why) = snapshot.activity {
            let name = min(snapshot.name.columns, max(Self.leastName, width / 3))
            return (snapshot.name.fitted(to: name) + "  " + why).fitted(to: width)
        }
        let fields = fittingFields(width: width)
        let tail = fields.isEmpty ? "" : "  " + fields.joined(separator: "  ")
        let nameColumns = snapshot.name.columns
        var room = width - tail.columns
        guard let fraction = snapshot.fraction else {
            return (snapshot.name.fitted(to: max(room, 0)) + tail).fitted(to: width)
        }
        // Draw a bar only if the name still fits, or has the minimum width that distinguishes names.
        let barRoom = room - min(nameColumns, max(Self.leastName, room / 2)) - 4
        guard barRoom >= Self.leastBar else { return (snapshot.name.fitted(to: max(room, 0)) + tail).fitted(to: width) }
        let bar = Self.bar(fraction, cells: min(barRoom, Self.widestBar))
        room -= bar.count + 2
        return snapshot.name.fitted(to: room) + "  " + bar + tail
    }

    /// The line without a terminal: no bar, and all known fields.
    var plain: String { snapshot.name + ": " + fields.map { $0.text[...].trimmed }.joined(separator: ", ") }

    private struct Field {
        let text: String
        /// Fields with lower ranks are omitted first; nil is never omitted.
        let rank: Int?
    }

    /// The fields in display order.
    private var fields: [Field] {
        switch snapshot.activity {
        case .connecting:
            [Field(text: "connecting", rank: nil)]
        case .verifying:
            [
                Field(text: "verifying", rank: nil),
                snapshot.fraction.map { Field(text: Self.percent($0), rank: 2) },
                Field(text: amount, rank: 1),
            ].compactMap(\.self)
        case .publishing:
            [Field(text: "saving", rank: nil), Field(text: amount, rank: 1)]
        case .waiting(let duration, let why):
            [Field(text: "retry in \(DurationText.clock(duration.roundedUp))", rank: nil), Field(text: why, rank: 1)]
        case .held(let why):
            [Field(text: why, rank: nil)]
        case .receiving(let speed):
            [
                snapshot.fraction.map { Field(text: Self.percent($0), rank: nil) },
                Field(text: amount, rank: 2),
                Field(text: "\(ByteSize.rounded(Int64(speed)))/s", rank: 3),
                snapshot.remaining.map { Field(text: "\(DurationText.clock($0)) left", rank: 1) },
            ].compactMap(\.self)
        }
    }

    private func fittingFields(width: Int) -> [String] {
        var fields = fields
        let name = min(snapshot.name.columns, Self.leastName)
        while name + fields.reduce(0, { $0 + 2 + $1.text.columns }) > width {
            let optional = fields.indices.filter { fields[$0].rank != nil }
            guard let least = optional.min(by: { (fields[$0].rank ?? 0) < (fields[$1].rank ?? 0) }) else { break }
            fields.remove(at: least)
        }
        return fields.map(\.text)
    }

    private var amount: String {
        let (done, whole) = snapshot.amount
        let text = ByteSize.rounded(done)
        return whole.map { "\(text) of \(ByteSize.rounded($0))" } ?? text
    }

    private static func percent(_ fraction: Double) -> String {
        // Rounded down, so that 100 % means complete.
        let text = "\(Int(fraction * 100)) %"
        return String(repeating: " ", count: 5 - text.count) + text
    }

    private static func bar(_ fraction: Double, cells: Int) -> String {
        let full = Int(Double(cells) * fraction)
        return "[" + String(repeating: "#", count: full) + String(repeating: "-", count: cells - full) + "]"
    }
}

extension Duration {
    /// Rounded up to whole seconds, so that a countdown ends at 1 rather than 0.
    fileprivate var roundedUp: Duration {
        components.attoseconds > 0 ? .seconds(components.seconds + 1) : self
    }
}
