import HTTPTypes
import MicroHTTP
import Model
import Wire

/// Which web pages may use the API from a browser (Fetch standard, "CORS protocol"): those of the listed
/// origins, compared exactly, or of any. Credentials are never allowed, as there are no cookies.
struct CrossOrigin: Sendable {
    private let origins: Set<String>
    private let allowsAny: Bool

    /// - Parameter origins: As browsers send them in `Origin`; `*` among them stands for any.
    init(origins: [String]) {
        self.origins = Set(origins)
        allowsAny = origins.contains("*")
    }

    var isOff: Bool { origins.isEmpty }

    /// Refuses what a page of another site made a browser send. Where no token is needed nothing else tells it from a
    /// request of a person or a program of this machine.
    ///
    /// `Origin` comes with all that is not a plain GET (Fetch standard, "append a request Origin header");
    /// `Sec-Fetch-Site` with everything (Fetch Metadata). Programs send neither.
    func checkSite(of head: ServerRequest.Head) throws(Problem) {
        guard !allowsAny else { return }
        let origin = head.headerFields[.origin]
        if let origin, origins.contains(origin) { return }
        let isOwn = origin == nil || origin == "http://\(head.authority ?? "")"
        let site = head.headerFields[.secFetchSite]?.lowercasedASCII
        guard isOwn, site == nil || site == "same-origin" || site == "none" else {
            throw Problem(.originNotAllowed, "The request comes from a page of another site.")
        }
    }

    /// Adds what a browser needs to let the page see the answer.
    func addFields(to fields: inout HTTPFields, for request: HTTPFields, isPreflight: Bool, methods: String) {
        guard !isOff else { return }
        if allowsAny {
            // The same for everyone, so caches need not tell origins apart.
            fields[.accessControlAllowOrigin] = "*"
        } else {
            fields[.vary] = "Origin"
            guard let origin = request[.origin], origins.contains(origin) else { return }
            fields[.accessControlAllowOrigin] = origin
        }
        fields[.accessControlExposeHeaders] = Self.exposed
        guard isPreflight else { return }
        fields[.accessControlAllowMethods] = methods
        fields[.accessControlAllowHeaders] = Self.allowed
        fields[.accessControlMaxAge] = "600"
    }

    private static let allowed = [
        "authorization", "content-type", "idempotency-key", "if-match", "if-none-match", "if-range", "last-event-id",
        "prefer",
        "range", "traceparent", "x-request-id",
    ].joined(separator: ", ")

    private static let exposed = [
        "location", "etag", "link", "retry-after", "content-disposition", "content-range", "accept-ranges",
        "content-length", "repr-digest", "preference-applied", "idempotency-replayed", "x-request-id", "accept-patch",
    ].joined(separator: ", ")
}
