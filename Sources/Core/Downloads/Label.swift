/// A label: a name and its value, each in the form of canonical JSON without the quotation marks.
///
/// Each string has exactly one canonical form, so strings are compared without decoding.
public struct Label: Hashable, Sendable {
    public let name: String
    public let value: String

    /// - Parameters:
    ///   - name: In the form of canonical JSON.
    ///   - value: In the same form.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// Compares bytes: for `String`, texts that are canonically equivalent in Unicode are equal.
    public static func == (left: Self, right: Self) -> Bool {
        left.name.utf8.elementsEqual(right.name.utf8) && left.value.utf8.elementsEqual(right.value.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in name.utf8 { hasher.combine(byte) }
        for byte in value.utf8 { hasher.combine(byte) }
    }
}

/// Required labels with their values.
public struct LabelFilter: Hashable, Sendable {
    private let wanted: [Label]

    /// - Parameter labels: A JSON object whose values are strings, as canonical JSON.
    public init(_ labels: JSONText) {
        wanted = labels.labels
    }

    /// Whether `labels` contains all required labels. Further labels do not matter.
    ///
    /// - Parameter labels: A JSON object whose values are strings, as canonical JSON.
    public func isMet(by labels: JSONText) -> Bool {
        let found = labels.labels
        return wanted.allSatisfy(found.contains)
    }
}

extension JSONText {
    /// The names and values of an object whose values are strings. Canonical JSON separates them by a colon or a comma,
    /// without white space.
    public var labels: [Label] {
        var texts: [String] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\"") else { continue }
            var end = rest.startIndex
            while end < rest.endIndex, rest[end] != UInt8(ascii: "\"") {
                end += rest[end] == UInt8(ascii: "\\") ? 2 : 1
            }
            // In a damaged row, the last text may have no end.
            guard end < rest.endIndex else { break }
            texts.append(String(decoding: rest[..<end], as: UTF8.self))
            rest = rest[(end + 1)...]
        }
        return stride(from: 0, to: texts.count - 1, by: 2).map { Label(name: texts[$0], value: texts[$0 + 1]) }
    }
}
