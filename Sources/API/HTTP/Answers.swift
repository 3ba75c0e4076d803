import HTTPTypes
import MicroHTTP
import Model
import Wire

extension ServerResponse {
    static func json(_ status: HTTPResponse.Status, _ bytes: [UInt8], _ fields: HTTPFields = [:]) -> ServerResponse {
        var fields = fields
        fields[.contentType] = "application/json"
        return ServerResponse(status: status, headerFields: fields, body: .bytes(bytes))
    }

    static func text(_ text: String) -> ServerResponse {
        ServerResponse(
            status: .ok,
            headerFields: [.contentType: "text/plain; charset=utf-8"],
            body: .bytes(Array(text.utf8))
        )
    }

    /// A stored answer, sent again byte for byte.
    static func replay(_ answer: StoredAnswer, _ fields: HTTPFields = [:]) -> ServerResponse {
        var fields = fields
        fields[.idempotencyReplayed] = "true"
        fields[.location] = answer.location
        fields[.eTag] = answer.etag
        return json(HTTPResponse.Status(code: answer.status), answer.body, fields)
    }
}
