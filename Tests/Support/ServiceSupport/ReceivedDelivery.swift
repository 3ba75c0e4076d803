public import API
public import TestSupport

/// A webhook delivery as its receiver saw it.
public struct ReceivedDelivery: Sendable {
    public let request: RecordedRequest
    public let id: String
    public let timestamp: Int64
    public let signature: String
    public let json: JSONValue

    public var type: String { json["type"]?.text ?? "" }
    public var data: JSONValue { json["data"] ?? .null }
    public var sequence: Int64 { data["seq"]?.integer ?? 0 }

    init?(_ request: RecordedRequest) {
        guard let id = request.value(of: "webhook-id"),
            let timestamp = request.value(of: "webhook-timestamp").flatMap({ Int64($0) }),
            let signature = request.value(of: "webhook-signature"),
            let json = try? JSONValue(parsing: request.body)
        else { return nil }
        (self.request, self.id, self.timestamp, self.signature, self.json) = (request, id, timestamp, signature, json)
    }
}

extension Origin {
    /// What came of webhook deliveries, in the order of arrival.
    public var deliveries: [ReceivedDelivery] { requests.compactMap(ReceivedDelivery.init) }

    /// Waits until `count` requests have come.
    public func deliveries(atLeast count: Int) async -> [ReceivedDelivery] {
        await requests(atLeast: count).compactMap(ReceivedDelivery.init)
    }
}

extension JSONValue {
    /// The member called `name`; nil where there is none, or this is no object.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    public var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    public var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The values of an array; none for anything else.
    public var items: [JSONValue] {
        guard case .array(let values) = self else { return [] }
        return values
    }

    /// The names of an object's members.
    public var names: [String] {
        guard case .object(let members) = self else { return [] }
        return members.map(\.name)
    }

    /// The texts of an array.
    public var words: [String] { items.compactMap(\.text) }
}
