public import Model

/// The entity tags of what the API shows, quotes included.
public enum ETags {
    /// The tag of a download's resource. `receivedBytes` is what the resource shows.
    public static func download(revision: Int64, receivedBytes: Int64) -> String {
        "\"\(revision).\(receivedBytes)\""
    }

    /// The tag of a finished file. A generation's bytes never change once they are published.
    public static func file(id: DownloadID, generation: Int) -> String {
        "\"\(id.text).\(generation)\""
    }
}
