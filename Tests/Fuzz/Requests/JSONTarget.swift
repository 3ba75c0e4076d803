import Core
import FoundationEssentials

@testable import API

extension FuzzTarget {
    /// The parser and the writer of JSON.
    static let json = FuzzTarget(name: "json") { bytes in
        _ = JSONDecoding.refreshedURL(bytes)
        guard let value = try? JSONValue(parsing: bytes) else { return }
        let canonical = value.canonical
        let again = try JSONValue(parsing: Array(canonical.utf8))
        try check(again.canonical.utf8.elementsEqual(canonical.utf8), "canonical JSON stays as it is: \(canonical)")
        if let integer = value.integer {
            try check(abs(integer) <= JSONValue.maximumInteger, "a whole number is exact")
        }
        if case .object(let members) = value { try checkMembers(value, members) }
        try checkForeign(Array(canonical.utf8))
    }

    private struct Anything: Decodable {
        init(from decoder: any Decoder) throws {}
    }

    /// What is accepted here is no surprise for another parser.
    private static func checkForeign(_ bytes: [UInt8]) throws {
        do {
            _ = try JSONDecoder().decode([Anything].self, from: Data([UInt8(ascii: "[")] + bytes + [UInt8(ascii: "]")]))
        } catch {
            throw BrokenProperty(description: "another parser refuses it: \(error)")
        }
    }

    private static func checkMembers(_ value: JSONValue, _ members: [JSONValue.Member]) throws {
        let merged = JSONValue.object([]).merging(value)
        let twice = merged.merging(value)
        try check(twice.canonical == merged.canonical, "a patch that is applied again changes nothing")
        let list = ViolationList()
        let reader = ValueReader(value: value, pointer: .root, violations: list)
        guard let text = ClientObject.labels.text(of: members, reader), list.violations.isEmpty else { return }
        try check(text.labels.count == members.count, "each label is found again: \(text.text)")
        try check(LabelFilter(text).isMet(by: text), "labels meet themselves")
    }
}
