import Core
import Crypto
import HTTPServer
import HTTPTypes
import Service

extension RequestContext {
    /// The request with its `Idempotency-Key`; nil without the field. The key is a quoted string as in the draft, or
    /// the bare text that most clients send.
    func idempotentRequest() throws(Problem) -> IdempotentRequest? {
        guard let field = fields[.idempotencyKey] else { return nil }
        var key = field[...]
        if key.utf8.count >= 2, key.first == "\"", key.last == "\"" { key = key.dropFirst().dropLast() }
        // A backslash would start an escape in the quoted form, but be literal in the bare form.
        let isVisible = key.utf8.allSatisfy {
            (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        guard key.utf8.count <= 255 else {
            throw Self.refusal(.tooLong, "Expected at most 255 characters.")
        }
        guard !key.isEmpty, isVisible else {
            throw Self.refusal(
                .malformed,
                "Expected 1 to 255 visible ASCII characters, quoted or bare, without quotes and backslashes."
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

    fileprivate static func refusal(_ code: Violation.Code, _ detail: String) -> Problem {
        let name = HTTPField.Name.idempotencyKey.rawName
        return Problem(
            .idempotencyKeyInvalid,
            detail,
            errors: [ProblemError(.header(name), code: code, detail: detail)]
        )
    }
}

extension Route.Operation {
    /// Refuses a key that would have no effect, because its client relies on it.
    func checkKey(_ head: ServerRequest.Head) throws(Problem) {
        guard method == .post, !takesKey, head.headerFields[.idempotencyKey] != nil else { return }
        let detail = "This request stores nothing, so it accepts no Idempotency-Key. Send it without the field."
        throw RequestContext.refusal(.forbidden, detail)
    }
}

extension RequestContext {
    /// Responds to a repeated request with the stored response, whatever happened since.
    ///
    /// The store is read before the validation, and again before a refusal: the first request may have completed in the
    /// meantime and changed the state that the second one is validated against.
    ///
    /// - Parameters:
    ///   - earlier: Reads the stored response.
    ///   - show: Makes a response from the stored one.
    ///   - body: Handles a new request. Its parameter is nil for a request without a key.
    func replaying(
        _ earlier: (IdempotentRequest) async throws -> StoredResponse?,
        with show: (StoredResponse) throws -> ServerResponse,
        _ body: (IdempotentRequest?) async throws -> ServerResponse
    ) async throws -> ServerResponse {
        guard let request = try idempotentRequest() else { return try await body(nil) }
        if let response = try await earlier(request) { return try show(response) }
        do {
            return try await body(request)
        } catch {
            if let response = try await earlier(request) { return try show(response) }
            throw error
        }
    }
}

extension IdempotentResult {
    /// The response for the result of an idempotent request.
    ///
    /// - Parameter replay: Makes a response from the stored one.
    func response(
        _ show: (Outcome) throws -> ServerResponse,
        replay: (StoredResponse) throws -> ServerResponse
    ) throws -> ServerResponse {
        switch self {
        case .done(let outcome): try show(outcome)
        case .replayed(let response): try replay(response)
        case .keyReused: throw Problem(because: .idempotencyKeyReused)
        }
    }
}
