import HTTPTypes

@testable import API
@testable import HTTPServer

extension FuzzTarget {
    /// The head of a request behind libmicrohttpd: a line with the target, and a line for each field.
    static let requestHeads = FuzzTarget(name: "request-heads") { bytes in
        let (line, rest) = bytes.firstLine
        var validation = RequestFieldValidation()
        for field in rest.split(separator: 0x0A) {
            let parts = field.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            validation.add(
                name: String(decoding: parts[0], as: UTF8.self),
                value: String(decoding: parts[1], as: UTF8.self)
            )
        }
        do {
            try validation.check(isHTTP10: false)
            try checkFields(validation)
            let target = try RequestTarget(raw: Array(line), authority: validation.authority, isOptions: false)
            try checkTarget(target)
        } catch is Refusal {}
    }

    private static func checkFields(_ validation: RequestFieldValidation) throws {
        for field in validation.fields {
            try check(!field.value.contains { "\r\n\0".contains($0) }, "a value is one line: \(field)")
        }
        let host = validation.host ?? ""
        try check(!host.isEmpty && !host.utf8.contains { "/@?# ".utf8.contains($0) }, "Host is a host: \(host)")
        try check(host == host.lowercased(), "a host is in lower case: \(host)")
        let codings = validation.fields[values: .transferEncoding]
        try check(codings.isEmpty || validation.bodyLength == .chunked, "a coded body is chunked")
    }

    private static func checkTarget(_ target: RequestTarget) throws {
        try check(target.path.utf8.first == UInt8(ascii: "/"), "a path begins with a slash: \(target.path)")
        try check(!target.path.utf8.contains { "?# ".utf8.contains($0) }, "a path is one: \(target.path)")
        _ = RouteMatch(path: target.path)
        _ = Query.value(of: "ticket", in: target.query)
    }
}
