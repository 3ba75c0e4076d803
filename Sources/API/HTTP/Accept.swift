import Model

/// What a client takes (RFC 9110, section 12.5.1).
struct Accept {
    private let ranges: [(type: String, weight: Double)]

    /// - Parameter field: Nothing, or a field without a value, means anything.
    init(_ field: String?) {
        ranges = (field ?? "").split(separator: ",").compactMap { part in
            let words = part.filter { $0 != " " && $0 != "\t" }.lowercasedASCII.split(separator: ";")
            guard let type = words.first else { return nil }
            // A weight that is no number says nothing.
            let weight = words.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            return (String(type), weight)
        }
    }

    /// Whether the client names `type`, and takes `other` no sooner.
    func prefers(_ type: String, to other: String) -> Bool {
        guard let weight = ranges.filter({ $0.type == type }).map(\.weight).max(), weight > 0 else { return false }
        let family = "\(other.prefix { $0 != "/" })/*"
        return ranges.allSatisfy { $0.type != other && $0.type != family || $0.weight < weight }
    }

    /// Whether the client takes `type`: the most specific of the ranges that it is in decides.
    func allows(_ type: String) -> Bool {
        guard !ranges.isEmpty else { return true }
        let family = "\(type.prefix { $0 != "/" })/*"
        for candidate in [type, family, "*/*"] {
            let weights = ranges.filter { $0.type == candidate }.map(\.weight)
            if let weight = weights.max() { return weight > 0 }
        }
        return false
    }
}
