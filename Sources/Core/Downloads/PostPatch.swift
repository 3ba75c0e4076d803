import HTTPFields

/// A patch of the request's method and body.
public struct PostPatch: Hashable, Sendable {
    /// nil for no change.
    public let method: RequestMethod?
    /// nil for no change.
    public let body: DownloadEdit.Change<[UInt8]>?

    public init(method: RequestMethod? = nil, body: DownloadEdit.Change<[UInt8]>? = nil) {
        self.method = method
        self.body = body
    }

    /// The body of the POST after the patch; nil for a GET.
    ///
    /// - Throws: If a GET would have a body.
    public func applied(to current: [UInt8]?) throws(Violations) -> [UInt8]? {
        let method = method ?? (current == nil ? .get : .post)
        guard method == .post else {
            guard body?.value == nil else { throw Violations([Self.needsPost]) }
            return nil
        }
        return body.map { $0.value ?? [] } ?? current ?? []
    }

    public static let needsPost = Violation(
        "/body",
        .forbidden,
        "Only a POST has a body. Set method to POST, or leave the body out."
    )
}
