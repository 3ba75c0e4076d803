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
        var reader = try ObjectReader(body: bytes)
        reader.require("path")
        path = reader.string("path") ?? ""
        seconds = reader.integer("ttl_seconds", in: 1...Self.most) ?? 60
        try reader.close()
    }
}
