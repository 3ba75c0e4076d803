public import Core

/// The document that asks for another link. Its `type` tells it from the events that are signed with the same secret.
struct URLRefreshRequestBody {
    let context: URLRefreshContext

    func encoded() -> [UInt8] {
        var writer = JSONWriter(reserving: 512)
        writer.object { writer in
            writer.member("type", "link.refused")
            writer.member("timestamp", context.at)
            writer.member("data") { writer in
                writer.member("download", context.download.text)
                // Whoever is asked knows it by what is not secret; what comes on the way there need not know the rest.
                writer.member("url", RedactedURL(secretMembersOf: context.url).text)
                writer.member("reason", context.reason.code.rawValue)
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
    /// The bytes of a question for another link.
    @Sendable public static func encode(context: URLRefreshContext) -> [UInt8] {
        URLRefreshRequestBody(context: context).encoded()
    }
}

/// The decoders that composition hands to those who know no JSON.
public enum JSONDecoding {
    /// The URL of a document `{"url": "…"}` that answers a question for another link; nil where it has none of the form
    /// that a client's URL has to have. Its other members are passed over.
    @Sendable public static func refreshedURL(_ bytes: [UInt8]) -> String? {
        guard case .object(let members)? = try? JSONValue(parsing: bytes),
            case .string(let text)? = members.first(where: { $0.name == "url" })?.value,
            text.utf8.count <= URLSyntax.maximumBytes, URLSyntax.matches(text)
        else { return nil }
        return text
    }
}
