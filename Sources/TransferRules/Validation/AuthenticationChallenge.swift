import HTTPFields

/// The authentication schemes in `WWW-Authenticate` (RFC 9110, 11.6.1).
enum AuthenticationChallenge {
    private static let supported: Set<String> = ["basic", "digest", "bearer"]

    /// The schemes of the challenges, if none of them is supported; nil if one is, or if there is no challenge.
    ///
    /// NTLM and Negotiate authenticate a connection with the account of a Windows domain, which a service has not.
    static func unsupportedSchemes(in values: [String]) -> [String]? {
        let schemes = values.flatMap(schemes(in:))
        guard !schemes.isEmpty, !schemes.contains(where: { supported.contains($0.lowercased()) }) else { return nil }
        return schemes
    }

    /// A value is a list of challenges: a scheme alone, or a scheme, a space and its parameters. Parameters are
    /// separated by commas too, but have a `=`.
    private static func schemes(in value: String) -> [String] {
        value.split(separator: ",").compactMap { element in
            let words = element.split(separator: " ", omittingEmptySubsequences: true)
            guard let first = words.first, !first.contains("="), !first.contains("\"") else { return nil }
            guard first.count <= 40, first.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
            else { return nil }
            return String(first)
        }
    }
}
