import Core

/// The features that a scheme supports.
public struct SchemeAbilities: Hashable, Sendable {
    /// Several ranges of a file can be fetched at the same time and in any order.
    public var segments = true
    /// Bytes of several sources can be combined.
    public var mirrors = true
    /// A response may redirect to another URL.
    public var redirects = true
    /// Requests may have header fields, cookies, a body, and credentials other than a user name and password.
    public var headerFields = true
    /// Requests may go through a proxy.
    public var proxies = true
    /// The server confirms the end of the file after the last byte. A body without this confirmation is incomplete.
    public var confirmsEnd = false
    /// A file that was assembled from several responses must be compared with the server's once more, because requests
    /// have no conditions.
    public var rechecksJoinedFile = false
    /// libcurl blocks its thread while it waits for some replies of the server.
    public var blocksThread = false
    /// A server is trusted only if its key is in the `known_hosts` file.
    public var needsKnownHosts = false

    public init() {}
}
