public import Core
import HTTPFields

/// One error in a request, with its position.
public struct ProblemError: Hashable, Sendable {
    public var place: Place
    /// The kind of error; a ``Violation/Code`` for errors in a body.
    public var code: String
    public var detail: String

    /// The part of the request that is invalid.
    public enum Place: Hashable, Sendable {
        /// A JSON Pointer into the body.
        case pointer(JSONPointer)
        /// A query or path parameter.
        case parameter(String)
        /// A header field of the request.
        case header(String)
    }

    public init(_ place: Place, code: Violation.Code, detail: String) {
        self.place = place
        self.code = code.rawValue
        self.detail = detail
    }

    /// An error in a body.
    public init(_ violation: Violation) {
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
