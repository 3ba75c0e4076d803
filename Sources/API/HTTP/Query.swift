import Core
import HTTPFields

/// The decoded query parameters (application/x-www-form-urlencoded, as browsers and curl encode it).
struct Query {
    private let parameters: [(name: String, value: String)]
    private let problem: ProblemType

    /// - Parameters:
    ///   - allowed: The parameters of the operation. Others are refused: a misspelled filter would match everything.
    ///   - repeatable: Those that may occur several times.
    ///   - problem: The problem type of an error; ``ProblemType/invalidFilter`` in a list.
    init(
        _ text: String?,
        allowed: [String] = [],
        repeatable: [String] = [],
        problem: ProblemType = .invalidRequest
    )
        throws(Problem)
    {
        self.problem = problem
        var parameters: [(name: String, value: String)] = []
        for part in (text ?? "").utf8.split(separator: UInt8(ascii: "&")) {
            let pair = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = Self.decode(pair[0])
            let value = pair.count == 2 ? Self.decode(pair[1]) : ""
            guard let name, let value, allowed.contains(name) else {
                let hint = Spelling.hint(for: name ?? "", among: allowed)
                throw Self.refusal(problem, name ?? "", .unknownMember, "Unknown parameter.\(hint)")
            }
            guard repeatable.contains(name) || !parameters.contains(where: { $0.name == name }) else {
                throw Self.refusal(problem, name, .tooMany, "The parameter occurs twice.")
            }
            parameters.append((name, value))
        }
        self.parameters = parameters
    }

    /// The value of the first parameter called `name`, read before the operation's parameters are known.
    static func value(of name: String, in text: String?) -> String? {
        let parameter = (text ?? "").split(separator: "&").first { $0.hasPrefix("\(name)=") }
        return parameter.flatMap { decode($0.dropFirst(name.count + 1).utf8) }
    }

    subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// All values of a parameter that may be repeated.
    func all(_ name: String) -> [String] { parameters.filter { $0.name == name }.map(\.value) }

    /// The comma-separated parts of a value; nil if the parameter is missing.
    func list(_ name: String) -> [String]? {
        self[name].map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    }

    /// `true` or `false`; nil if the parameter is missing.
    func flag(_ name: String) throws(Problem) -> Bool? {
        switch self[name] {
        case nil: nil
        case "true": true
        case "false": false
        default: throw refusal(name, "Expected 'true' or 'false'.")
        }
    }

    /// The maximum number of rows in a page, at most `most`.
    func limit(default standard: Int, most: Int) throws(Problem) -> Int {
        guard let text = self["limit"] else { return standard }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), text != "0" else {
            throw refusal("limit", "Expected a number of 1 or more.")
        }
        guard let limit = Int(text) else { return most }
        guard limit > 0 else { throw refusal("limit", "Expected a number of 1 or more.") }
        return min(limit, most)
    }

    /// A whole number from 0 to the largest that every JSON reader represents exactly; nil if missing.
    func number(_ name: String) throws(Problem) -> Int64? {
        guard let text = self[name] else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text),
            number < 1 << 53
        else {
            throw refusal(name, "Expected a whole number of 0 or more.")
        }
        return number
    }

    /// A whole number from 1 up; nil if the parameter is missing.
    func count(_ name: String) throws(Problem) -> Int? {
        guard let number = try number(name) else { return nil }
        guard number > 0 else { throw refusal(name, "Expected a whole number of 1 or more.") }
        return Int(number)
    }

    /// An instant in the format of request bodies; nil if the parameter is missing.
    func instant(_ name: String) throws(Problem) -> Timestamp? {
        guard let text = self[name] else { return nil }
        guard let time = Instant.parse(text) else {
            throw refusal(name, "Expected an instant such as 2026-01-09T03:04:05.000Z.")
        }
        return time
    }

    /// A list of event types or patterns; nil if the parameter is missing.
    func eventPatterns(_ name: String) throws(Problem) -> [EventPattern]? {
        guard let text = self[name] else { return nil }
        return try text.split(separator: ",", omittingEmptySubsequences: false).map { word throws(Problem) in
            guard let pattern = EventPattern(String(word)) else {
                throw refusal(name, "Expected a list of event types, such as 'download.completed' or 'download.*'.")
            }
            return pattern
        }
    }

    func refusal(_ name: String, _ detail: String, _ code: Violation.Code = .malformed) -> Problem {
        Self.refusal(problem, name, code, detail)
    }

    /// Refuses an unknown word. The detail names the most similar known one.
    func unknown(_ name: String, _ word: String, of known: [String]) -> Problem {
        let hint = Spelling.hint(for: word, among: known)
        return refusal(name, "Unknown value \"\(word)\". Expected one of: \(known.joined(separator: ", ")).\(hint)")
    }

    private static func refusal(
        _ problem: ProblemType,
        _ name: String,
        _ code: Violation.Code,
        _ detail: String
    ) -> Problem {
        Problem(problem, detail, errors: [ProblemError(.parameter(name), code: code, detail: detail)])
    }

    /// Percent-encodes a value, except for letters, digits and the punctuation that values of the API usually have.
    static func encode(_ value: String) -> String {
        var text = ""
        for byte in value.utf8 {
            if byte.isASCIILetter || byte.isASCIIDigit || ",-._:~".utf8.contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let hex = String(byte, radix: 16, uppercase: true)
                text += "%" + (hex.utf8.count == 1 ? "0" : "") + hex
            }
        }
        return text
    }

    private static func decode(_ text: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst(), let low = rest.popFirst(),
                    let value = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)
                else { return nil }
                bytes.append(value)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
