/// The body of `POST /tickets`.
public struct NewTicketBody: Hashable, Sendable {
    /// The path that may be read, without a query.
    public var path: String
    /// For how long.
    public var seconds: Int64

    /// For how many seconds at the most.
    public static let most: Int64 = 300

    public init(parsing bytes: [UInt8]) throws(BodyFault) {
        let value: JSONValue
        do throws(JSONFault) { value = try JSONValue(parsing: bytes) } catch { throw .json(error) }
        var list = ViolationList()
        guard var reader = ObjectReader(value, at: .root, &list) else { throw .violations(list.violations) }
        reader.require("path", &list)
        path = reader.string("path", &list) ?? ""
        seconds = reader.integer("ttl_seconds", in: 1...Self.most, &list) ?? 60
        reader.finish(&list)
        try list.throwIfAny()
    }
}
