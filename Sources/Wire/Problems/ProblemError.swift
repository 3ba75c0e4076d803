/// One mistake in a request: where it is, and what it is.
public struct ProblemError: Hashable, Sendable {
    public var place: Place
    /// The kind of mistake; a ``WireViolation/Code`` for those in a body.
    public var code: String
    public var detail: String

    /// The part of the request that is wrong.
    public enum Place: Hashable, Sendable {
        /// A JSON Pointer into the body.
        case pointer(JSONPointer)
        /// A query or path parameter.
        case parameter(String)
        /// A header field of the request.
        case header(String)
    }

    public init(_ place: Place, code: WireViolation.Code, detail: String) {
        self.place = place
        self.code = code.rawValue
        self.detail = detail
    }

    /// A mistake in a body.
    public init(_ violation: WireViolation) {
        self.init(.pointer(violation.pointer), code: violation.code, detail: violation.detail)
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            switch place {
            case .pointer(let pointer): writer.member("pointer", pointer.text)
            case .parameter(let name): writer.member("parameter", name)
            case .header(let name): writer.member("header", name)
            }
            writer.member("code", code)
            writer.member("detail", detail)
        }
    }
}
