import Core
import HTTPFields

@testable import Store

/// Fills every column of a value, by its type and its name: for 1 with another value than for 2.
struct SampleColumns: RowCoder {
    /// A column whose type has no value here.
    struct Unknown: Error {
        let column: String
    }

    let number: Int

    var isReading: Bool { true }

    mutating func column<Value: ColumnValue>(_ name: String, _ value: inout Value) throws(Unknown) {
        let stored: Any =
            switch Value.Stored.self {
            case is Bool.Type: number == 1
            case is Int64.Type: Int64(number)
            case is [UInt8].Type: [UInt8(number)]
            default: text(for: Value.self, name)
            }
        guard let filled = Value(stored: stored as? Value.Stored), filled.stored != nil else {
            throw Unknown(column: name)
        }
        value = filled
    }

    mutating func optional<Part: RowValue>(_ part: inout Part?) throws(Unknown) {
        var value = Part.blank
        try value.columns(&self)
        part = value
    }

    private func text<Value: ColumnValue>(for type: Value.Type, _ name: String) -> String {
        let label = name.replacing("_", with: "-") + "\(number)"
        return switch type {
        case is DownloadURL.Type, is DownloadURL?.Type: "https://\(label).example/"
        case is [DownloadURL].Type: "https://\(label).example/\nhttps://n.example/"
        case is [Digest].Type: "sha-256=" + String(repeating: "0\(number)", count: 32)
        case is HTTPStatuses?.Type: number == 1 ? "" : "403 500"
        case is JSONText?.Type: "{\"\(label)\":\"\(number)\"}"
        case is MediaType?.Type: "a/\(label)"
        case is [WebhookID].Type: WebhookID(first: Timestamp(milliseconds: Int64(number))).text
        default: word(of: type) ?? label
        }
    }

    /// Of an enumeration.
    private func word<Value: ColumnValue>(of type: Value.Type) -> String? {
        let plain = (type as? any Wrapping.Type)?.wrapped ?? type
        guard let words = plain as? any (CaseIterable & WordColumn).Type else { return nil }
        return rawValues(words)[number - 1]
    }

    private func rawValues<Word: CaseIterable & WordColumn>(_: Word.Type) -> [String] { Word.allCases.map(\.rawValue) }
}

private protocol Wrapping {
    static var wrapped: Any.Type { get }
}

extension Optional: Wrapping {
    static var wrapped: Any.Type { Wrapped.self }
}
