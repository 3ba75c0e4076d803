import Core

extension DeliveryFilter {
    /// The filter of `GET /webhooks/{id}/deliveries`.
    init(_ query: Query) throws(Problem) {
        self.init(
            states: try Self.states(query),
            types: try Self.types(query),
            since: try query.instant("created_after"),
            until: try query.instant("created_before")
        )
    }

    /// The filters as query parameters, for the URL of the next page.
    func text(of query: Query) -> String {
        let named = [
            ("state", query["state"]), ("types", query["types"]),
            ("created_after", since.map(Instant.text)), ("created_before", until.map(Instant.text)),
        ]
        return named.compactMap { name, value in value.map { "\(name)=\($0)" } }.joined(separator: "&")
    }

    private static func states(_ query: Query) throws(Problem) -> [DeliveryState] {
        guard let text = query["state"] else { return [] }
        var states: [DeliveryState] = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let state = DeliveryState(rawValue: String(word)) else {
                let words = DeliveryState.allCases.map(\.rawValue).joined(separator: ", ")
                throw query.refusal("state", "Expected a list of: \(words).")
            }
            if !states.contains(state) { states.append(state) }
        }
        return states
    }

    private static func types(_ query: Query) throws(Problem) -> Set<EventType>? {
        guard let patterns = try query.eventPatterns("types") else { return nil }
        let types = patterns.reduce(into: Set<EventType>()) { $0.formUnion($1.types) }
        guard !types.isEmpty else {
            throw query.refusal("types", "Only streams report progress. Name another event type.")
        }
        return types
    }
}
