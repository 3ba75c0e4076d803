import CLibcurl
import Glibc

/// One `CURLU *`, libcurl's own parser: what is judged here is what will be fetched.
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

    /// - Returns: Nil if the URL has no such part.
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

    /// libidn2 reads a name in the locale's encoding, and a program starts in one that knows only ASCII.
    /// This sets the locale of the calling thread alone, for as long as `body` runs.
    private static func withUTF8Locale<Value>(_ body: () -> Value) -> Value {
        let previous = uselocale(utf8)
        defer { uselocale(previous) }
        return body()
    }

    // Made once and never changed or freed.
    private nonisolated(unsafe) static let utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil)
}
