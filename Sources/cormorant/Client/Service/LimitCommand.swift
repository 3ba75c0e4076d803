import Application
import ArgumentParser
import Client
import Linux

/// `cormorant limit`
struct LimitCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "limit",
        abstract: "Show or change limits: of the service, a host or a session.",
        discussion: """
            A rate is bytes per second, such as 2MiB. The word none removes a limit, and default restores that of the \
            settings. Without anything to change, the limits are shown.
            """
    )

    @Argument(help: ArgumentHelp("The rate: 2MiB, none or default.", valueName: "rate"))
    var rate: RateLimitArgument?

    @Option(help: ArgumentHelp("The limit of one host.", valueName: "host[:port]"))
    var host: String?

    @Flag(help: "The limit of each host that has none of its own.")
    var perHost = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The limit of one session.", valueName: "name"),
        completion: .custom(ShellCompletions.sessions)
    )
    var session: String?

    @Option(help: ArgumentHelp("How many downloads of the session run at once; or none.", valueName: "number"))
    var maxConcurrent: Clearable<Int>?

    @Flag(help: "Stop all downloads, also after a restart, until --resume. Their bytes are kept.")
    var pause = false

    @Flag(help: "End a pause of all downloads.")
    var resume = false

    @OptionGroup(title: "Service") var connection: ServerOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        let places = [host != nil, session != nil, perHost].filter { $0 }.count
        guard places <= 1 else { throw ValidationError("Expected one of --host, --session and --per-host.") }
        guard !(pause && resume) else { throw ValidationError("Expected --pause or --resume, not both.") }
        guard places == 0 || !(pause || resume) else {
            throw ValidationError(
                "--pause and --resume are for all downloads. For some, use cormorant pause with filters."
            )
        }
        guard maxConcurrent == nil || session != nil else { throw ValidationError("--max-concurrent needs --session.") }
        guard !perHost || rate != nil else { throw ValidationError("--per-host expects a rate.") }
    }

    func run(_ client: CormorantClient) async throws {
        if let host {
            if let rate { _ = try await client.changeHost(host, rateBytesPerSecond: rate.clearing) }
            return try await show("/hosts/\(host.escapedForPath)", client, HostFields.all)
        }
        if let session {
            try await change(session, client)
            return try await show("/sessions/\(session.escapedForPath)", client, SessionFields.all)
        }
        var patch = LimitsPatch()
        if let rate {
            if perHost {
                patch.rateBytesPerSecondPerHost = rate.change
            } else {
                patch.rateBytesPerSecond = rate.change
            }
        }
        if pause { patch.paused = .set(true) }
        if resume { patch.paused = .clear }
        if patch != LimitsPatch() { _ = try await client.changeLimits(patch) }
        try await show("/limits", client, Self.fields)
    }

    private func change(_ session: String, _ client: CormorantClient) async throws(ClientError) {
        guard rate != nil || maxConcurrent != nil else { return }
        var limits = SessionPatch.Limits()
        limits.rateBytesPerSecond = rate?.clearing
        limits.maxConcurrent = maxConcurrent?.change
        var patch = SessionPatch()
        patch.limits = limits
        _ = try await client.changeSession(session, patch)
    }

    private func show<Result: Answer>(
        _ path: String,
        _ client: CormorantClient,
        _ fields: (Result) -> [Field?]
    ) async throws {
        let (result, raw): (Result, [UInt8]) = try await client.raw(path)
        try Printer(output.output).item(raw, name: path) { _ in fields(result).compactMap(\.self) }
    }

    /// An offset such as `UTC+05:30`, in which the windows of the schedule are.
    private static func zone(_ minutes: Int) -> String {
        let (hours, rest) = abs(minutes).quotientAndRemainder(dividingBy: 60)
        let digits = [hours, rest].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        return minutes == 0 ? "UTC" : "UTC\(minutes < 0 ? "-" : "+")\(digits)"
    }

    private static func fields(_ limits: Limits) -> [Field?] {
        func shown(_ rate: Int64?) -> String { rate.flatMap { $0 > 0 ? Shown.rate($0) : nil } ?? "none" }
        let until = limits.now?.untilAt.map { " until \(InstantText.text($0))" } ?? ""
        let isPaused = limits.now?.paused ?? limits.paused ?? false
        return [
            Field("downloads", isPaused ? "paused\(until)" : "may run", isPaused ? .yellow : .green),
            Field("rate now", shown(limits.now?.rateBytesPerSecond)),
            Field("by", limits.now?.source.map { $0 == "schedule" ? "the schedule\(until)" : "the limit" }),
            Field("time zone", limits.now?.utcOffsetMinutes.map(Self.zone)),
            Field("rate", shown(limits.rateBytesPerSecond)),
            Field("rate per host", shown(limits.rateBytesPerSecondPerHost)),
            Field("replaced settings", limits.replaced?.joined(separator: ", ")),
        ]
    }
}

/// A rate, `none` or `default`.
enum RateLimitArgument: ExpressibleByArgument, Hashable {
    case rate(Rate)
    case none
    case standard

    init?(argument: String) {
        switch argument {
        case "none": self = .none
        case "default": self = .standard
        default:
            guard let rate = Rate(argument: argument) else { return nil }
            self = .rate(rate)
        }
    }

    /// For the service: 0 is no limit, and null restores the setting.
    var change: Change<Int64> {
        switch self {
        case .rate(let rate): .set(rate.bytesPerSecond)
        case .none: .set(0)
        case .standard: .clear
        }
    }

    /// For a host or a session, which have no setting: null is no limit.
    var clearing: Change<Int64> {
        if case .rate(let rate) = self { .set(rate.bytesPerSecond) } else { .clear }
    }
}

extension String {
    /// The text as one segment of a path.
    var escapedForPath: String { String(APIRequest.path(self).dropFirst()) }
}
