import Curl
import URLs

/// A client of a Cormorant service.
///
/// ```swift
/// let client = try CormorantClient(server: "http://127.0.0.1:8080")
/// let download = try await client.createDownload(Download.Request(url: "https://example.com/a.iso"))
/// for try await item in client.events(EventQuery(downloadID: download.id)) {
///     if case .event(let event) = item { print(event.type) }
/// }
/// await client.shutdown()
/// ```
///
/// Every method throws ``ClientError``: a problem of the service (`.problem`), or the reason why there is no answer. A
/// client may be used by many tasks at once; its requests share connections.
public struct CormorantClient: Sendable {
    /// The address of a service that was started without settings.
    public static let defaultServer = "http://127.0.0.1:8080"

    /// The root URL of the service, without a slash at its end.
    public let server: String
    let token: String?
    let options: Options
    let loop: TransferLoop

    /// What rarely needs another value.
    public struct Options: Sendable {
        /// The limit for name resolution, connection and TLS handshake together.
        public var connectTimeout = Duration.seconds(10)
        /// How long to wait for the head of an answer. A request that waits (`Prefer: wait`) gets its time on top.
        public var timeout = Duration.seconds(60)
        /// How long a `GET` is repeated while a gateway answers 502 to 504 in place of the service.
        public var gatewayPatience = Duration.zero
        /// The `User-Agent` of requests.
        public var userAgent = "cormorant-client"
        /// A file with the trusted certificates (PEM); nil for those of the system.
        public var certificateAuthorityFile: String?

        public init() {}
    }

    /// - Parameters:
    ///   - server: The root URL of the service, http or https, with a path if a proxy adds one.
    ///   - token: The token of the service; nil if it has none.
    /// - Throws: `ClientError.invalidServer`.
    public init(
        server: String = Self.defaultServer,
        token: String? = nil,
        options: Options = Options()
    ) throws(ClientError) {
        self.server = try Self.root(server)
        self.token = token
        self.options = options
        loop = TransferLoop()
    }

    private static func root(_ text: String) throws(ClientError) -> String {
        let given: GivenURL
        do throws(URLParseError) { given = try GivenURL(parsing: text) } catch {
            throw .invalidServer(text, error.description)
        }
        let url = given.url
        guard given.user == nil, !url.text.contains("?") else {
            throw .invalidServer(text, "The URL of a service has no user information and no query.")
        }
        return url.text.hasSuffix("/") ? String(url.text.dropLast()) : url.text
    }

    /// Ends all requests. Call it when the client is no longer needed.
    public func shutdown() async { await loop.shutdown() }
}
