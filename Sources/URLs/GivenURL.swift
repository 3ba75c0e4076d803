/// A client's URL after parsing: the URL, and the user information, which is stored with the credentials.
public struct GivenURL: Hashable, Sendable {
    public let url: DownloadURL
    public let user: String?
    public let password: String?

    public init(url: DownloadURL, user: String? = nil, password: String? = nil) {
        self.url = url
        self.user = user
        self.password = password
    }

    public var hasUser: Bool { user != nil || password != nil }
}
