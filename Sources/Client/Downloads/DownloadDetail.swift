/// Which members of a download an answer has.
public enum DownloadDetail: Hashable, Sendable {
    case full
    /// What a table shows.
    case summary
    /// The named members, in snake case. `id` and `state` are added.
    case fields([String])

    var pairs: [APIRequest.Pair] {
        switch self {
        case .full: []
        case .summary: [APIRequest.Pair("view", "summary")]
        case .fields(let names):
            [
                APIRequest.Pair(
                    "fields",
                    (["id", "state"].filter { !names.contains($0) } + names).joined(separator: ",")
                )
            ]
        }
    }
}
