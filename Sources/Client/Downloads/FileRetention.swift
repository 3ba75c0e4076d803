/// How long a finished file is kept.
public enum FileRetention: Hashable, Sendable, Codable {
    case seconds(Int64)
    case forever

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self = (try? container.decode(Int64.self)).map { .seconds($0) } ?? .forever
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .seconds(let seconds): try container.encode(seconds)
        case .forever: try container.encode("forever")
        }
    }
}
