import HTTPTypes
import Model

extension RequestContext {
    private static let longestWait: Int64 = 60

    /// For how many seconds the client would wait for its answer (RFC 7240, section 4.3), a minute at the most; nil
    /// where it said nothing that can be read.
    var preferredWait: Int64? {
        for preference in preferences {
            let parts = preference.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\t" } }
            guard parts.count == 2, parts[0].lowercasedASCII == "wait" else { continue }
            // The first one counts (RFC 7240, section 2).
            guard !parts[1].isEmpty, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return min(Int64(parts[1]) ?? Self.longestWait, Self.longestWait)
        }
        return nil
    }

    static let respondAsync = "respond-async"

    /// Whether the client says that its answer need not wait for what it asks for (RFC 7240, section 4.1).
    var prefersAsync: Bool {
        preferences.contains { $0.filter { $0 != " " && $0 != "\t" }.lowercasedASCII == Self.respondAsync }
    }

    private var preferences: [Substring] { (fields[.prefer] ?? "").split { $0 == "," || $0 == ";" } }
}
