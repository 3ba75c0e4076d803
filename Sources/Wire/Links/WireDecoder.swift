/// The decoders that composition hands to those who know no JSON.
public enum WireDecoder {
    /// The URL of a document `{"url": "…"}` that answers a question for another link; nil where it has none of the form
    /// that a client's URL has to have. Its other members are passed over.
    @Sendable public static func link(_ bytes: [UInt8]) -> String? {
        guard case .object(let members)? = try? JSONValue(parsing: bytes),
            case .string(let text)? = members.first(where: { $0.name == "url" })?.value,
            text.utf8.count <= URLShape.maximumBytes, URLShape.matches(text)
        else { return nil }
        return text
    }
}
