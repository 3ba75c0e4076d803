import CLibcurl
import Glibc
import URLs

/// One `CURLU *`, a URL in libcurl's own parser, so that the checked URL is the fetched URL.
final class URLHandle {
    private let raw: OpaquePointer

    init() {
        guard let raw = curl_url() else { preconditionFailure("curl_url() found no memory") }
        self.raw = raw
    }

    deinit {
        curl_url_cleanup(raw)
    }

    /// Sets a part of the URL. A relative URL is resolved against the URL that is already set.
    func set(_ part: CURLUPart, _ text: String?, _ flags: Int32 = 0) throws(URLParseError) {
        try check(Self.withUTF8Locale { curl_url_set(raw, part, text, UInt32(flags)) })
    }

    /// - Returns: nil if the URL does not have this part.
    func get(_ part: CURLUPart, _ flags: Int32 = 0) throws(URLParseError) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        let code = Self.withUTF8Locale { curl_url_get(raw, part, &text, UInt32(flags)) }
        defer { curl_free(text) }
        switch code {
        case CURLUE_NO_USER, CURLUE_NO_PASSWORD, CURLUE_NO_QUERY, CURLUE_NO_FRAGMENT, CURLUE_NO_PORT, CURLUE_NO_HOST:
            return nil
        default:
            try check(code)
            return text.map { String(cString: $0) }
        }
    }

    private func check(_ code: CURLUcode) throws(URLParseError) {
        switch code {
        case CURLUE_OK: return
        case CURLUE_BAD_HOSTNAME, CURLUE_BAD_IPV6, CURLUE_NO_HOST: throw .badHost
        case CURLUE_BAD_PORT_NUMBER: throw .badPort
        default: throw .malformed
        }
    }

    /// Runs `body` with a UTF-8 locale. libidn2 decodes names with the locale's encoding, and a process starts with an
    /// ASCII locale. Only the locale of the calling thread changes.
    private static func withUTF8Locale<Value>(_ body: () -> Value) -> Value {
        let previous = uselocale(utf8)
        defer { uselocale(previous) }
        return body()
    }

    // Created once; never changed or freed.
    private nonisolated(unsafe) static let utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil)
}

/// The reason why a text is not a valid URL.
public enum URLParseError: Error, Hashable, Sendable {
    case tooLong
    /// A control character, or a space or backslash in the authority. Parsers are known to differ on them.
    case forbiddenCharacter
    /// The text does not begin with a scheme, `://` and an authority.
    case notAbsolute
    /// A well-formed URL with an unsupported scheme, which is given in lower case.
    case unsupportedScheme(String)
    /// The authority is ambiguous, for example with two `@`.
    case ambiguousAuthority
    case badHost
    /// The host is not a valid internationalized name (IDNA).
    case badName
    /// The host is an internationalized name, and libcurl was built without IDNA.
    case noIDNA
    case badPort
    /// The URL names a folder of an FTP or SFTP server.
    case folder
    /// An FTP or SFTP URL has a query, which these schemes do not support.
    case queryOfFile
    /// The path has a semicolon, which begins a transfer type in FTP. Only unchanged files are supported.
    case fileType
    /// libcurl's parser refused the text for another reason.
    case malformed
}

extension URLParseError: CustomStringConvertible {
    /// A sentence for a person. It repeats no part of the text except the scheme.
    public var description: String {
        switch self {
        case .tooLong: "The URL is longer than \(GivenURL.maximumLength) bytes, percent-encoded."
        case .forbiddenCharacter: "The URL has a control character, or a backslash or space before its path."
        case .notAbsolute: "The URL does not begin with a scheme, :// and a host, as https://example.com/file.iso does."
        case .unsupportedScheme(let scheme): "The scheme '\(scheme)' is not supported."
        case .ambiguousAuthority: "The URL's host is ambiguous."
        case .badHost: "The URL's host is not valid."
        case .badName: "The URL's host is not a valid internationalized name (IDNA). Check its spelling."
        case .noIDNA:
            "This server's libcurl has no IDNA. Write the URL's host in its ASCII form, which begins with xn--."
        case .badPort: "The URL's port is not a number from 1 to 65535."
        case .folder: "The URL ends in a slash: it names a folder, not a file."
        case .queryOfFile: "A URL of this scheme has no query; a question mark in a name is written %3F."
        case .fileType: "A URL of this scheme has no type; a semicolon in a name is written %3B."
        case .malformed: "The URL is not valid."
        }
    }
}
