import CLibcurl
import Glibc

/// One `CURLU *`, libcurl's own parser: what is checked here is what will be fetched.
final class URLHandle {
    private let raw: OpaquePointer

    init() {
        guard let raw = curl_url() else { preconditionFailure("curl_url() found no memory") }
        self.raw = raw
    }

    deinit {
        curl_url_cleanup(raw)
    }

    /// Sets `part`; a whole URL that is relative is resolved against the one already set.
    func set(_ part: CURLUPart, _ text: String?, _ flags: Int32 = 0) throws(URLParseError) {
        try check(Self.withUTF8Locale { curl_url_set(raw, part, text, UInt32(flags)) })
    }

    /// - Returns: nil if the URL has no such part.
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

    /// libidn2 reads a name in the locale's encoding, and a program starts in one that knows only ASCII. This sets the
    /// locale of the calling thread only, while `body` runs.
    private static func withUTF8Locale<Value>(_ body: () -> Value) -> Value {
        let previous = uselocale(utf8)
        defer { uselocale(previous) }
        return body()
    }

    // Made once and never changed or freed.
    private nonisolated(unsafe) static let utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil)
}

/// Why a text is not a fetchable URL.
public enum URLParseError: Error, Hashable, Sendable {
    case tooLong
    /// A control character, a space or a backslash, on which parsers are known to differ.
    case forbiddenCharacter
    /// It does not begin with a scheme, `://` and an authority.
    case notAbsolute
    /// Well-formed, but of an unsupported scheme, in lower case.
    case unsupportedScheme(String)
    /// The authority is ambiguous, as with two `@`.
    case ambiguousAuthority
    case badHost
    case badPort
    /// It names a folder of an FTP or SFTP server.
    case folder
    /// It has a query, which FTP and SFTP do not have.
    case queryOfFile
    /// Its path has a semicolon, which begins the type of a transfer in FTP; files are fetched unchanged.
    case fileType
    /// libcurl's parser refused it for another reason.
    case malformed
}

extension URLParseError: CustomStringConvertible {
    /// A sentence that repeats nothing of the text but the scheme.
    public var description: String {
        switch self {
        case .tooLong: "The URL is longer than \(ParsedURL.maximumLength) bytes."
        case .forbiddenCharacter: "The URL has a space, a backslash or a control character."
        case .notAbsolute: "The URL does not begin with a scheme, :// and a host."
        case .unsupportedScheme(let scheme): "The scheme '\(scheme)' is not supported."
        case .ambiguousAuthority: "The URL's host is ambiguous."
        case .badHost: "The URL's host is not valid."
        case .badPort: "The URL's port is not a number from 1 to 65535."
        case .folder: "The URL ends in a slash: it names a folder, not a file."
        case .queryOfFile: "A URL of ftp, ftps or sftp has no query; a question mark in a name is written %3F."
        case .fileType: "A URL of ftp, ftps or sftp has no type; a semicolon in a name is written %3B."
        case .malformed: "The URL is not valid."
        }
    }
}
