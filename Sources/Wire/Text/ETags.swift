public import Model

/// The entity tags of what the API shows, quotes included.
public enum ETags {
    /// The tag of a download's resource. `receivedBytes` and `phase` are what the resource shows.
    ///
    /// It is weak while the download runs, when it has a phase: speed, remaining time and the instant of the reading
    /// change without it (RFC 9110, section 8.8.1).
    public static func download(revision: Int64, receivedBytes: Int64, phase: DownloadPhase?) -> String {
        guard let phase else { return "\"\(revision).\(receivedBytes)\"" }
        return "W/\"\(revision).\(receivedBytes).\(phase.rawValue)\""
    }

    /// The tag of a finished file. A generation's bytes never change once they are published.
    public static func file(id: DownloadID, generation: Int) -> String {
        "\"\(id.text).\(generation)\""
    }
}
