/// A flat JSON object of texts and numbers on one line, for logs.
public enum JSONLine {
    /// The value of a member.
    public enum Value: Hashable, Sendable, CustomStringConvertible {
        case text(String)
        case number(Int64)

        public var description: String {
            switch self {
            case .text(let text): text
            case .number(let number): "\(number)"
            }
        }
    }

    public static func text(_ members: [(String, Value)]) -> String {
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            for (name, value) in members {
                writer.foreignName(name)
                switch value {
                case .text(let text): writer.string(text)
                case .number(let number): writer.integer(number)
                }
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
