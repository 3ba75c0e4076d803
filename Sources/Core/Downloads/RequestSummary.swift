import HTTPFields

/// The part of a download's credentials that may be shown: names and sizes without values.
public struct RequestSummary: Hashable, Sendable {
    /// In the client's order.
    public var headerNames: [String]
    /// In the client's order.
    public var cookieNames: [String]
    public var scheme: OriginAuthentication.Scheme?
    /// The size of the POST body in bytes; nil for a GET.
    public var postedBytes: Int?
    /// `none`, or the proxy without user name and password; nil for the service's proxy settings.
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
