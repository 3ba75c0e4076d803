import ArgumentParser
import Client
import FoundationEssentials

/// The filters of `ls` and of actions on many downloads. All must match.
struct FilterOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Downloads in these states, separated by commas; repeatable.", valueName: "state")
    )
    var state: [String] = []

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Downloads of this session.", valueName: "name"),
        completion: .custom(ShellCompletions.sessions)
    )
    var session: String?

    @Option(help: ArgumentHelp("Downloads with this label; repeatable.", valueName: "name:value"))
    var label: [String] = []

    @Option(help: ArgumentHelp("Downloads from this host.", valueName: "host[:port]"))
    var host: String?

    @Option(help: ArgumentHelp("Downloads with this error code, such as timeout.", valueName: "code"))
    var errorCode: String?

    @Option(help: ArgumentHelp("Created after an instant, or less long ago than 7d.", valueName: "time"))
    var createdAfter: PastTime?

    @Option(help: ArgumentHelp("Created before an instant, or longer ago than 7d.", valueName: "time"))
    var createdBefore: PastTime?

    @Option(help: ArgumentHelp("Ended after an instant, or less long ago than 7d.", valueName: "time"))
    var finishedAfter: PastTime?

    @Option(help: ArgumentHelp("Ended before an instant, or longer ago than 7d.", valueName: "time"))
    var finishedBefore: PastTime?

    @Option(
        name: [.customShort("q"), .long],
        help: ArgumentHelp("A part of the name or the URL, in upper or lower case.", valueName: "text")
    )
    var search: String?

    var filter: DownloadFilter {
        var filter = DownloadFilter()
        let states = state.flatMap { $0.split(separator: ",").map { String($0) } }
        filter.state = states.isEmpty ? nil : states
        filter.session = session
        filter.label = label.isEmpty ? nil : label
        filter.host = host
        filter.errorCode = errorCode
        filter.createdAfter = createdAfter?.date
        filter.createdBefore = createdBefore?.date
        filter.finishedAfter = finishedAfter?.date
        filter.finishedBefore = finishedBefore?.date
        filter.q = search
        return filter
    }
}
