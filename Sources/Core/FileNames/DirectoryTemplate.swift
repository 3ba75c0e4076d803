import HTTPFields

/// A folder as a client writes it: `isos/{host}/{year}-{month}`. The variables are replaced once, by what is known when
/// the folder is set; the download then has a plain ``RelativeDirectory``.
///
/// `{{` and `}}` are a literal brace.
public struct DirectoryTemplate: Hashable, Sendable {
    private enum Piece: Hashable, Sendable {
        case text(String)
        case variable(Variable)
    }

    private enum Variable: Hashable, Sendable {
        case host
        case session
        case year
        case month
        case day
        case label(String)

        init?(_ name: Substring) {
            switch name {
            case "host": self = .host
            case "session": self = .session
            case "year": self = .year
            case "month": self = .month
            case "day": self = .day
            default:
                guard name.hasPrefix("label:"), name.utf8.count > 6 else { return nil }
                self = .label(String(name.dropFirst(6)))
            }
        }
    }

    private let pieces: [Piece]

    /// The variables, for error messages.
    public static let variables = "{host}, {session}, {year}, {month}, {day} and {label:key}"

    /// Parses a template. Its literal parts follow the rules of a ``RelativeDirectory``.
    public init(parsing text: String) throws(InvalidTemplate) {
        pieces = try Self.pieces(of: text)
        // One letter has none of the faults that a value could have.
        _ = try validated { (_) throws(InvalidTemplate) in "x" }
    }

    /// A folder without variables.
    public init(_ directory: RelativeDirectory) {
        pieces = [.text(directory.path)]
    }

    /// Replaces the variables.
    ///
    /// - Parameter now: The instant whose day, in UTC, the folder has.
    public func expanded(for request: DownloadRequest, at now: Timestamp) throws(InvalidTemplate) -> RelativeDirectory {
        let date = CivilDate(secondsSinceEpoch: now.milliseconds / 1000)
        return try validated { (variable) throws(InvalidTemplate) in
            switch variable {
            case .host: return try Self.name(request.url.host, "{host}")
            case .session:
                guard let session = request.session else { throw .absent("{session}") }
                return try Self.name(session.text, "{session}")
            case .year: return Self.padded(date.year, to: 4)
            case .month: return Self.padded(date.month, to: 2)
            case .day: return Self.padded(date.day, to: 2)
            case .label(let key):
                guard let value = request.labels?.plainValue(of: key) else { throw .absent("{label:\(key)}") }
                return try Self.name(value, "{label:\(key)}")
            }
        }
    }

    private func validated(
        _ value: (Variable) throws(InvalidTemplate) -> String
    ) throws(InvalidTemplate) -> RelativeDirectory {
        var path = ""
        for piece in pieces {
            switch piece {
            case .text(let text): path += text
            case .variable(let variable): path += try value(variable)
            }
        }
        do {
            return try RelativeDirectory(validating: path)
        } catch {
            throw .name(error)
        }
    }

    /// A value as a part of one component. Separators become underscores, so that a value never adds a folder.
    private static func name(_ value: String, _ variable: String) throws(InvalidTemplate) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in value.unicodeScalars { scalars.append(NameRules.isSeparator(scalar) ? "_" : scalar) }
        guard let name = FileName.sanitized(String(scalars)) else { throw .blank(variable) }
        return name.value
    }

    private static func padded(_ number: Int64, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(width - digits.count, 0)) + digits
    }
}

extension DirectoryTemplate {
    private static func pieces(of text: String) throws(InvalidTemplate) -> [Piece] {
        var pieces: [Piece] = []
        var literal = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "{" where rest.first == "{", "}" where rest.first == "}":
                literal.append(scalar)
                rest.removeFirst()
            case "{":
                guard let end = rest.firstIndex(where: { $0 == "}" || $0 == "{" }), rest[end] == "}" else {
                    throw .strayBrace
                }
                let name = Substring(rest[..<end])
                guard let variable = Variable(name) else { throw .unknownVariable(String(name)) }
                pieces += [.text(String(literal)), .variable(variable)]
                literal = String.UnicodeScalarView()
                rest = rest[rest.index(after: end)...]
            case "}": throw .strayBrace
            default: literal.append(scalar)
            }
        }
        return pieces + [.text(String(literal))]
    }
}

/// Why a client's folder is refused.
public enum InvalidTemplate: Error, Hashable, Sendable {
    /// The folder, or what it expands to, is no valid path.
    case name(InvalidName)
    /// A brace that neither begins or ends a variable nor is doubled.
    case strayBrace
    /// The name between the braces is no variable.
    case unknownVariable(String)
    /// The download has no such session or label.
    case absent(String)
    /// Nothing of the value may stand in a name.
    case blank(String)

    public var code: Violation.Code {
        switch self {
        case .name(.tooLong): .tooLong
        case .unknownVariable: .unknownWord
        case .absent: .required
        case .name, .strayBrace, .blank: .malformed
        }
    }

    /// A sentence that explains the error.
    public var explanation: String {
        switch self {
        case .name(let fault): fault.explanation
        case .strayBrace:
            "A brace stands alone. Expected {{ or }} for a brace, or one of \(DirectoryTemplate.variables)."
        case .unknownVariable: "Unknown variable. Expected one of \(DirectoryTemplate.variables)."
        case .absent(let variable): "\(variable) has no value. Give the download one, or leave the variable out."
        case .blank(let variable): "The value of \(variable) cannot be a folder's name."
        }
    }
}

extension JSONText {
    /// The decoded value of a label; nil if there is none. Control characters are left out.
    fileprivate func plainValue(of name: String) -> String? {
        let label = labels.first { Self.decoded($0.name).utf8.elementsEqual(name.utf8) }
        return label.map { Self.decoded($0.value) }
    }

    /// Decodes a string of canonical JSON, which escapes only quotation marks, backslashes and control characters
    /// (RFC 8785, section 3.2.2.2).
    private static func decoded(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\\", let escaped = rest.popFirst() else {
                result.append(scalar)
                continue
            }
            switch escaped {
            case "\"", "\\": result.append(escaped)
            case "u": rest = rest.dropFirst(4)
            default: break
            }
        }
        return String(result)
    }
}
