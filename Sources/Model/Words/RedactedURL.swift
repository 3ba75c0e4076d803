/// A URL as it may be shown and logged: without user information, fragment and query. A sealed URL (``SealedURL``) is
/// shown without its secret part.
public struct RedactedURL: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    /// What stands in place of a secret.
    public static let replacement = "REDACTED"

    public var description: String { text }

    /// Redacts any text that may be a URL; it need not be well formed.
    ///
    /// - Parameter part: What is a secret in it. With `.path`, only scheme and authority are shown.
    public init(_ url: String, hiding part: SealedURL.SecretPart = .query) {
        if let sealed = SealedURL.parts(of: url) {
            text = "\(sealed.shown)\(Self.replacement)"
            return
        }
        let bytes = Array(url.utf8)
        let fragment = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        let query = bytes[..<fragment].firstIndex(of: UInt8(ascii: "?")) ?? fragment
        let open = String(decoding: Self.withoutUserInfo(bytes[..<query]) + bytes[query..<fragment], as: UTF8.self)
        text = SealedURL.split(open, before: part).map { "\($0.shown)\(Self.replacement)" } ?? open
    }

    /// Redacts the values of those members of the query alone whose names tell of a secret.
    ///
    /// The receiver is the one that gave the URL. The other members tell it which URL is meant.
    public init(secretMembersOf url: String) {
        let bytes = Array(url.utf8)
        let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        let query = bytes[..<end].firstIndex(of: UInt8(ascii: "?")) ?? end
        var result = Self.withoutUserInfo(bytes[..<query])
        if query < end {
            result.append(UInt8(ascii: "?"))
            Self.appendQuery(bytes[(query + 1)..<end], to: &result)
        }
        text = String(decoding: result, as: UTF8.self)
    }

    /// `scheme://user:password@host/path` without what stands before the last `@` of the authority.
    private static func withoutUserInfo(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: [0x3A, slash, slash])
        else { return Array(bytes) }
        let start = colon + 3
        let end = bytes[start...].firstIndex(of: slash) ?? bytes.endIndex
        guard let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")) else { return Array(bytes) }
        return Array(bytes[..<start] + bytes[(at + 1)...])
    }

    /// Both `&` and `;` part members: some servers take the one, some the other.
    private static func appendQuery(_ query: ArraySlice<UInt8>, to result: inout [UInt8]) {
        var start = query.startIndex
        while start <= query.endIndex {
            let end =
                query[start...].firstIndex { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: ";") } ?? query.endIndex
            let equals = query[start..<end].firstIndex(of: UInt8(ascii: "=")) ?? end
            if equals < end, SecretNames.contains(query[start..<equals]) {
                result.append(contentsOf: query[start...equals])
                result.append(contentsOf: replacement.utf8)
            } else {
                result.append(contentsOf: query[start..<end])
            }
            guard end < query.endIndex else { return }
            result.append(query[end])
            start = end + 1
        }
    }
}
