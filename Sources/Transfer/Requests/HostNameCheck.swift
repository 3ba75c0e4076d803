public import Core
public import Curl
import Linux
import Synchronization

/// Finds out whether a name that libcurl could not resolve does not exist: libcurl has one code for that and for a
/// resolver that is out of order (libcurl-errors(3)).
final class HostNameCheck: Sendable {
    /// What came of a question.
    enum Outcome: Sendable {
        case unknown
        /// It exists, or the resolver cannot tell.
        case other
        /// Too many questions were under way. A name that is not to be told from an unknown one is not told from one
        /// that was not asked either.
        case notChecked
    }

    private let pool = BlockingPool(threads: limit, name: "names")
    private let count = Atomic<Int>(0)
    private let isUnknown: @Sendable (String) -> Bool

    /// While a resolver is out of order each question takes long. Nobody waits for those of others.
    static let limit = 4

    /// - Parameter isUnknown: Asks the resolver, and may block.
    init(isUnknown: @escaping @Sendable (String) -> Bool = { HostName.isUnknown($0) }) {
        self.isUnknown = isUnknown
    }

    func check(_ host: String) async -> Outcome {
        let checks = count.wrappingAdd(1, ordering: .relaxed).newValue
        defer { count.wrappingSubtract(1, ordering: .relaxed) }
        guard checks <= Self.limit else { return .notChecked }
        return await pool.run { [isUnknown] in isUnknown(host) } ? .unknown : .other
    }
}

extension DestinationPolicy {
    /// Judges the address that libcurl is about to connect to.
    public func allows(_ address: SocketAddress, scheme: URLScheme) -> Bool {
        guard let ip = IPAddress(bytes: address.bytes) else { return false }
        return validate(ip, port: address.port, scheme: scheme) == nil
    }
}

extension SourceURL {
    /// Parses a client's URL with the parser that will connect to it, so that what is judged is what is asked.
    ///
    /// - Parameter files: Whether it may be of a server of files (FTP, SFTP), and not of http and https alone.
    /// - Returns: The URL without user information and fragment, and the user information.
    /// - Throws: ``InvalidURL``.
    public static func parse(
        _ text: String,
        files: Bool = false
    ) throws(InvalidURL) -> (url: SourceURL, user: String?, password: String?) {
        do {
            let parsed = try ParsedURL(text, schemes: files ? ParsedURL.Scheme.all : ParsedURL.Scheme.web)
            return (SourceURL(parsed), parsed.user, parsed.password)
        } catch {
            throw InvalidURL(error)
        }
    }

    /// The same of a reference (RFC 3986, section 5).
    static func parse(
        _ reference: String,
        relativeTo base: SourceURL
    ) throws(InvalidURL) -> (url: SourceURL, user: String?, password: String?) {
        do {
            let parsed = try ParsedURL(base.text).resolving(reference)
            return (SourceURL(parsed), parsed.user, parsed.password)
        } catch {
            throw InvalidURL(error)
        }
    }

    init(_ parsed: ParsedURL) {
        self.init(
            text: parsed.text,
            scheme: parsed.scheme.rawValue,
            host: parsed.host,
            port: parsed.port,
            path: parsed.path
        )
    }
}

/// A text that is no URL to download from.
public struct InvalidURL: Error, Hashable, Sendable {
    /// For a person.
    public let detail: String
    /// Whether it is a URL, but of a scheme that is not downloaded from.
    public let hasOtherScheme: Bool

    init(_ error: URLParseError) {
        detail = error.description
        if case .unsupportedScheme = error { hasOtherScheme = true } else { hasOtherScheme = false }
    }
}
