public import Model

/// The entity tags of what the API shows, quotes included.
public enum ETags {
    /// The tag of a download's resource, which is strong: it changes with whatever the resource shows (RFC 9110,
    /// section 8.8.1).
    ///
    /// - Parameters:
    ///   - receivedBytes: As the resource shows them, and `phase` and `verifiedBytes` too.
    ///   - readAt: The instant of the reading, with which speed and remaining time change; nil where nothing runs.
    public static func download(
        revision: Int64,
        receivedBytes: Int64,
        phase: DownloadPhase?,
        verifiedBytes: Int64? = nil,
        readAt: Timestamp?
    ) -> String {
        let numbers = [verifiedBytes, readAt?.milliseconds].compactMap { $0.map(String.init) }
        let shown = [phase?.rawValue].compactMap(\.self) + numbers
        return "\"" + (["\(revision)", "\(receivedBytes)"] + shown).joined(separator: ".") + "\""
    }

    /// The tag of a finished file. A generation's bytes never change once they are published.
    public static func file(id: DownloadID, generation: Int) -> String {
        "\"\(id.text).\(generation)\""
    }
}
