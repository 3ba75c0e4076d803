import Core
import HTTPServer
import HTTPTypes

/// The body of `POST /tickets`.
public struct NewTicketBody: Hashable, Sendable {
    /// The path that the ticket allows to read, without a query.
    public var path: String
    /// The lifetime in seconds.
    public var seconds: Int64

    /// The maximum lifetime in seconds.
    public static let most: Int64 = 300

    public init(parsing bytes: [UInt8]) throws(BodyError) {
        let value: JSONValue
        do throws(JSONParseError) { value = try JSONValue(parsing: bytes) } catch { throw .json(error) }
        var list = ViolationList()
        guard var reader = ObjectReader(value, at: .root, &list) else { throw .violations(list.violations) }
        reader.require("path", &list)
        path = reader.string("path", &list) ?? ""
        seconds = reader.integer("ttl_seconds", in: 1...Self.most, &list) ?? 60
        reader.finish(&list)
        try list.throwIfAny()
    }
}
