import Crypto
import HTTPTypes
import MicroHTTP
import Model
import Wire

extension RequestContext {
    /// The request as one that may be repeated, if its client gave a key for that: a quoted string as the draft
    /// wants it, or the bare text that most clients send.
    func idempotentRequest() throws(Problem) -> IdempotentRequest? {
        guard let field = fields[.idempotencyKey] else { return nil }
        var key = field[...]
        if key.utf8.count >= 2, key.first == "\"", key.last == "\"" { key = key.dropFirst().dropLast() }
        // A backslash would begin an escape in the one form, and stand for itself in the other.
        let isVisible = key.utf8.allSatisfy {
            (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        guard key.utf8.count <= 255 else {
            throw Self.refusal(.tooLong, "The key has more than 255 characters.")
        }
        guard !key.isEmpty, isVisible else {
            throw Self.refusal(
                .malformed,
                "The key has 1 to 255 visible ASCII characters, quoted or bare; no quote or backslash."
            )
        }
        let method = request.method.rawValue
        var hash = SHA256()
        hash.update(data: Array("\(method) \(request.target)\n".utf8))
        hash.update(data: request.body)
        return IdempotentRequest(
            scope: "\(caller) \(method) \(request.path)",
            key: String(key),
            fingerprint: Array(hash.finalize())
        )
    }

    private static func refusal(_ code: WireViolation.Code, _ detail: String) -> Problem {
        let name = HTTPField.Name.idempotencyKey.rawName
        return Problem(
            .idempotencyKeyInvalid,
            detail,
            errors: [ProblemError(.header(name), code: code, detail: detail)]
        )
    }
}
