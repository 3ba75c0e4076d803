public import Core
import Transfer

/// The URLs in a request except the download's own: http or https, without user information.
public enum PlainURL: Sendable {
    case mirror
    case refreshURL
    /// The URL of a webhook or a callback.
    case receiver

    /// Parses a URL. Also accepts other schemes, which the destination policy refuses.
    ///
    /// - Parameter pointer: The member with the URL.
    public func parse(_ text: String, at pointer: JSONPointer) throws(Violation) -> DownloadURL {
        let given = try GivenURL(parsing: text, at: pointer, schemes: URLScheme.web)
        guard !given.hasUser else { throw Violation(pointer, .malformed, whyNoUser) }
        return given.url
    }

    private var whyNoUser: String {
        switch self {
        case .mirror: "A mirror has no user information: credentials go to the origin of \"url\" alone."
        case .refreshURL: "Expected a URL without user information: requests to it are signed."
        case .receiver: "Expected a URL without user information: deliveries are signed."
        }
    }
}
