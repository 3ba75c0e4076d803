import FoundationEssentials

/// The settings file: one JSON object whose values are texts, numbers or lists of texts.
struct SettingsFile: Sendable {
    let path: String
    /// By key, in the form in which a flag or variable would give them; a list is joined by commas.
    let values: [String: String]

    /// No file.
    static let none = SettingsFile(path: "", values: [:])

    init(path: String, values: [String: String]) {
        self.path = path
        self.values = values
    }

    init(path: String, json: [UInt8]) throws(SettingsError) {
        let members: [String: Member]
        do {
            members = try JSONDecoder().decode([String: Member].self, from: Data(json))
        } catch {
            let problem = SettingsError.Problem(origin: .file(path), detail: "is not a JSON object")
            throw SettingsError(problems: [problem])
        }
        let unreadable = members.filter { $0.value == .other }.keys.sorted()
        guard unreadable.isEmpty else {
            throw SettingsError(
                problems: unreadable.map {
                    .init(key: $0, origin: .file(path), detail: "expects a text, a whole number or a list of texts")
                }
            )
        }
        self.init(path: path, values: members.compactMapValues(\.text))
    }
}

private enum Member: Decodable, Equatable {
    case text(String)
    case number(Int64)
    case list([String])
    case null
    case other

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let number = try? container.decode(Int64.self) {
            self = .number(number)
        } else if let list = try? container.decode([String].self) {
            self = .list(list)
        } else {
            self = .other
        }
    }

    var text: String? {
        switch self {
        case .text(let text): text
        case .number(let number): String(number)
        case .list(let list): list.joined(separator: ",")
        case .null, .other: nil
        }
    }
}
