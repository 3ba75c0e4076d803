import Application
import ArgumentParser
import Client

/// The downloads that a command follows.
struct FollowedTarget: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Ids, unique starts of ids, or names.", valueName: "id"),
        completion: .custom(ShellCompletions.downloads)
    )
    var downloads: [String] = []

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("All downloads of a session.", valueName: "name"),
        completion: .custom(ShellCompletions.sessions)
    )
    var session: String?

    var isEmpty: Bool { downloads.isEmpty && session == nil }

    func validate() throws {
        guard downloads.isEmpty || session == nil else {
            throw ValidationError("Expected either the ids or names of downloads, or --session, not both.")
        }
    }

    func scope(_ client: CormorantClient) async throws -> DownloadFollower.Scope {
        if let session { return .session(session) }
        guard !downloads.isEmpty else { return .everything }
        return .ids(try await DownloadNames(client: client).ids(downloads))
    }
}

/// `cormorant wait`
struct WaitCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Wait until downloads have ended.",
        discussion: """
            Exits with 0 if all are completed, else with the code of the first that is not, as cormorant get does; 69 \
            for a cancelled or deleted one, and 75 if --timeout is over. The service may restart meanwhile.
            """
    )

    @OptionGroup var target: FollowedTarget

    @Option(help: ArgumentHelp("How long to wait at most, such as 10m.", valueName: "duration"))
    var timeout: String?

    @Flag(name: .shortAndLong, help: "Print errors only.")
    var quiet = false

    @OptionGroup(title: "Service") var connection: ServerOptions

    func validate() throws {
        guard !target.isEmpty else {
            throw ValidationError("Expected either the ids or names of downloads, or --session.")
        }
        if let timeout, DurationText.parse(timeout) == nil {
            throw ValidationError("--timeout expects \(DurationText.expectation).")
        }
    }

    var gatewayPatience: Duration { FollowSession.gatewayPatience }

    func run(_ client: CormorantClient) async throws {
        // A wait for a session that does not exist would never end.
        if let session = target.session { _ = try await client.session(session) }
        let scope = try await target.scope(client)
        var following = FollowSession(client: client, scope: scope, isQuiet: quiet)
        following.timeout = timeout.flatMap { DurationText.parse($0) }
        var ended = try await following.run()
        if let session = target.session { ended = try await Self.notCompleted(of: session, client) }
        if let status = ended.lazy.compactMap({ ExitStatus(ending: $0) }).first { throw status.code }
    }

    /// The outcome of a session is that of all its downloads, also of those that had ended before.
    private static func notCompleted(
        of session: String,
        _ client: CormorantClient
    ) async throws(ClientError) -> [Client.Download] {
        var query = DownloadQuery()
        query.filter.session = session
        query.filter.state = ["failed", "cancelled"]
        query.sort = "created_at"
        query.limit = 1
        query.detail = .summary
        return try await client.downloadPage(query).items
    }
}

/// `cormorant watch`
struct WatchCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show the progress of downloads.",
        discussion: """
            With ids, names or --session it ends when all of them have ended; else it shows all downloads until it is \
            interrupted. The downloads go on either way.
            """
    )

    @OptionGroup var target: FollowedTarget

    @OptionGroup(title: "Service") var connection: ServerOptions

    var gatewayPatience: Duration { FollowSession.gatewayPatience }

    func run(_ client: CormorantClient) async throws {
        _ = try await FollowSession(client: client, scope: try await target.scope(client)).run()
    }
}
