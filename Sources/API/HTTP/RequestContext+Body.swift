import HTTPTypes
import MicroHTTP
import Model
import Wire

extension Route {
    private static let json = "application/json"

    /// The media types that a body may have with this method; empty where none is read.
    func bodyTypes(of method: HTTPRequest.Method) -> [String] {
        switch (self, method) {
        case (.webhookAction(_, .ping), .post), (.redelivery, .post): []
        case (_, .post), (_, .put): [Self.json]
        case (_, .patch): RequestContext.patchTypes
        default: []
        }
    }

    /// Refuses a body that would not be read, by what its head says of it.
    ///
    /// - Parameter needsJSON: Whether a POST has to be one of JSON even where no body is read. A page of another site
    ///   can make a browser send any other without asking first (Fetch standard, "CORS-safelisted request-header").
    func checkBodyType(_ head: ServerRequest.Head, needsJSON: Bool) throws(Problem) {
        var types = bodyTypes(of: head.method)
        if types.isEmpty, needsJSON, head.method == .post { types = [Self.json] }
        guard !types.isEmpty else { return }
        let essence = head.headerFields[.contentType].flatMap { MediaType($0)?.essence }
        guard let essence, types.contains(essence), head.headerFields[.contentEncoding] == nil else {
            let problem = Problem(
                .unsupportedMediaType,
                "Send the body as \(types.joined(separator: " or ")); with curl, use --json.",
                extras: [.accepted(types)]
            )
            throw head.method == .patch ? problem.with(.acceptPatch, RequestContext.acceptPatch) : problem
        }
    }
}
