/// What a download's request to its origin carries, as far as a client may see it: names and sizes, no values.
public struct RequestOutline: Hashable, Sendable {
    /// In the order given.
    public var headerNames: [String]
    /// In the order given.
    public var cookieNames: [String]
    public var scheme: OriginAuthentication.Scheme?
    /// The size of a POST's body; nil for a GET.
    public var postedBytes: Int?
    /// `none`, or the proxy without user and password; nil for that of the settings.
    public var proxy: String?

    public init(
        headerNames: [String] = [],
        cookieNames: [String] = [],
        scheme: OriginAuthentication.Scheme? = nil,
        postedBytes: Int? = nil,
        proxy: String? = nil
    ) {
        self.headerNames = headerNames
        self.cookieNames = cookieNames
        self.scheme = scheme
        self.postedBytes = postedBytes
        self.proxy = proxy
    }

    public init(_ credentials: RequestCredentials) {
        self.init(
            headerNames: credentials.headers.map(\.name),
            cookieNames: credentials.cookies.map(\.name),
            scheme: credentials.authentication?.scheme,
            postedBytes: credentials.postBody?.count,
            proxy: credentials.proxy?.shown
        )
    }

    public var method: RequestMethod { postedBytes == nil ? .get : .post }
}

/// The methods that a download can be asked for with.
public enum RequestMethod: String, CaseIterable, Hashable, Sendable {
    case get = "GET"
    case post = "POST"
}
