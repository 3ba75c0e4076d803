public import Core

/// The body of a request for another URL. Its `type` distinguishes it from events, which are signed with the same
/// secret.
struct URLRefreshRequestBody {
    let question: URLRefreshContext

    func encoded() -> [UInt8] {
        var writer = JSONWriter(reserving: 512)
        writer.object { writer in
            writer.member("type", "link.refused")
            writer.member("timestamp", question.at)
            writer.member("data") { writer in
                writer.member("download", question.download.text)
                // The receiver recognizes the URL without its secrets, and intermediaries must not see them.
                writer.member("url", RedactedURL(secretMembersOf: question.url.text).text)
                writer.member("reason", question.reason.code.rawValue)
                writer.member("http_status", question.reason.httpStatus)
                writer.member("etag", question.etag)
                writer.member("total_bytes", question.totalBytes)
                writer.member("received_bytes", question.receivedBytes)
                writer.member("attempt", question.attempt)
            }
        }
        return writer.bytes
    }
}

extension JSONEncoding {
    /// The bytes of a question for another link.
    @Sendable public static func encode(question: URLRefreshContext) -> [UInt8] {
        URLRefreshRequestBody(question: question).encoded()
    }
}

/// The decoders that composition hands to those who know no JSON.
public enum JSONDecoding {
    /// The URL in an answer `{"url": "…"}`; nil if it has none in the form required of clients. Other members are
    /// ignored.
    @Sendable public static func link(_ bytes: [UInt8]) -> String? {
        guard case .object(let members)? = try? JSONValue(parsing: bytes),
            case .string(let text)? = members.first(where: { $0.name == "url" })?.value,
            text.utf8.count <= URLSyntax.maximumBytes, URLSyntax.matches(text)
        else { return nil }
        return text
    }
}
