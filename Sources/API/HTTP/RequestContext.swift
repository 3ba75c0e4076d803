import HTTPTypes
import MicroHTTP
import Model
import Wire

/// A request with what the guards found out about it.
struct RequestContext {
    let request: ServerRequest
    /// Names the request in logs and problems.
    let requestID: String
    /// Who asks: part of the scope of an idempotency key.
    let caller: String

    /// The one whose streams are counted: without a token everyone on this machine is the same.
    var limitedCaller: String? { caller == AccessGuard.anyone ? nil : caller }

    var fields: HTTPFields { request.headerFields }

    /// The body, of a type that the route reads.
    var body: [UInt8] { request.body }

    /// Answers a GET: with what there is, unless the client has that already (RFC 9110, section 13.1.2).
    func unlessKnown(_ etag: String, _ show: () -> ServerResponse) -> ServerResponse {
        guard Preconditions(fields).isNotModified(etag) else { return show() }
        return ServerResponse(status: .notModified, headerFields: [.eTag: etag])
    }

    /// The request's id, taken over from the client where it is safe to repeat.
    static func requestID(of head: ServerRequest.Head, now: Timestamp) -> String {
        guard let given = head.headerFields[.requestID], (1...64).contains(given.utf8.count),
            given.utf8.allSatisfy(isIDByte)
        else { return RequestID(at: now).text }
        return given
    }

    private static func isIDByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
