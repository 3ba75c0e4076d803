import FoundationEssentials
import HTTPFields

/// JSON as the service writes and reads it: names in snake case, instants in RFC 3339.
enum ClientJSON {
    static func encode(_ value: some Encodable) throws(ClientError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        // Sorted, so that a request that is repeated with its idempotency key has the same bytes.
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(InstantText.text(date))
        }
        do { return [UInt8](try encoder.encode(value)) } catch {
            throw .undecodable("\(error)")
        }
    }

    static func decode<Value: Decodable>(_ bytes: [UInt8]) throws(ClientError) -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            guard let date = InstantText.date(text) else {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "no instant: \(text)")
                )
            }
            return date
        }
        do { return try decoder.decode(Value.self, from: Data(bytes)) } catch let error as DecodingError {
            throw .undecodable(error.place)
        } catch {
            throw .undecodable("\(error)")
        }
    }
}

extension DecodingError {
    /// The place and the reason, without the values of the answer.
    fileprivate var place: String {
        let (reason, context): (String, Context) =
            switch self {
            case .typeMismatch(let type, let context): ("expected \(type)", context)
            case .valueNotFound(let type, let context): ("expected \(type), got null", context)
            case .keyNotFound(let key, let context): ("the member \(key.stringValue) is missing", context)
            case .dataCorrupted(let context): (context.debugDescription, context)
            @unknown default: ("it has an unexpected form", Context(codingPath: [], debugDescription: ""))
            }
        let path = context.codingPath.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }.joined(separator: "/")
        return path.isEmpty ? reason : "/\(path): \(reason)"
    }
}
