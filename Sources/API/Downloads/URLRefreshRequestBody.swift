public import Core

/// The body of a URL refresh request. Its `type` distinguishes it from events, which the same secret signs.
struct URLRefreshRequestBody {
    let context: URLRefreshContext

    func encoded() -> [UInt8] {
        var writer = JSONWriter(reserving: 512)
        writer.object { writer in
            writer.member("type", "link.refused")
            writer.member("timestamp", context.at)
            writer.member("data") { writer in
                writer.member("download_id", context.download.text)
                // The receiver recognizes the URL without its secrets. Intermediaries must not see the secrets.
                writer.member("url", RedactedURL(secretMembersOf: context.url.text).text)
                writer.member("error_code", context.reason.code.rawValue)
                writer.member("http_status", context.reason.httpStatus)
                writer.member("etag", context.etag)
                writer.member("total_bytes", context.totalBytes)
                writer.member("received_bytes", context.receivedBytes)
                writer.member("attempt", context.attempt)
            }
        }
        return writer.bytes
    }
}

extension JSONEncoding {
    /// The JSON of a URL refresh request.
    @Sendable public static func encode(context: URLRefreshContext) -> [UInt8] {
        URLRefreshRequestBody(context: context).encoded()
    }
}

/// JSON decoders for components that do not depend on this target.
public enum JSONDecoding {
    /// The member `url` of the response `{"url": "…"}`; nil if it has none. Other members are ignored.
    @Sendable public static func refreshedURL(_ bytes: [UInt8]) -> String? {
        guard case .object(let members)? = try? JSONValue(parsing: bytes),
            case .string(let text)? = members.first(where: { $0.name == "url" })?.value
        else { return nil }
        return text
    }
}
