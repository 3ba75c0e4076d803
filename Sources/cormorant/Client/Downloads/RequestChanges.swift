import Application
import ArgumentParser
import Client
import HTTPFields
import Linux

/// The options that change how a download is fetched: of `set` and `retry`. `none` clears a value.
struct RequestChanges: ParsableArguments {
    @Option(help: ArgumentHelp("Another URL for the same file.", valueName: "url"))
    var url: String?

    @Option(help: ArgumentHelp("A further URL of the same file; repeatable; replaces those before.", valueName: "url"))
    var mirror: [String] = []

    @Option(help: ArgumentHelp("A URL that gives another URL for the file.", valueName: "url"))
    var refreshURL: Clearable<String>?

    @OptionGroup var login: LoginOptions

    @Option(help: ArgumentHelp("Remove a header field; repeatable.", valueName: "name"))
    var removeHeader: [String] = []

    @Option(help: ArgumentHelp("Remove a cookie; repeatable.", valueName: "name"))
    var removeCookie: [String] = []

    @Option(help: ArgumentHelp("GET or POST.", valueName: "method"))
    var method: String?

    @Option(help: ArgumentHelp("The body of a POST, or @file.", valueName: "text"))
    var body: Clearable<String>?

    @Option(help: ArgumentHelp("The proxy, as scheme://host:port.", valueName: "url"))
    var proxy: Clearable<String>?

    @Option(help: ArgumentHelp("The expected digest, as sha-256=<hex>; repeatable.", valueName: "alg=hex"))
    var digest: [String] = []

    @Option(help: ArgumentHelp("The expected size of the file.", valueName: "size"))
    var size: Clearable<Size>?

    @Option(help: ArgumentHelp("The expected media type of the file.", valueName: "type"))
    var contentType: Clearable<String>?

    @Option(help: ArgumentHelp("The limit of its speed, such as 2MiB a second.", valueName: "rate"))
    var rate: Clearable<Rate>?

    @Option(help: ArgumentHelp("How many connections at once.", valueName: "number"))
    var connections: Clearable<Int>?

    @Option(help: ArgumentHelp("It fails if the file is larger.", valueName: "size"))
    var maxBytes: Clearable<Size>?

    @Option(help: ArgumentHelp("It fails if it has not ended by then.", valueName: "time"))
    var deadline: FutureTime?

    @Option(help: ArgumentHelp("How many attempts at most.", valueName: "number"))
    var maxAttempts: Clearable<Int>?

    @Option(help: ArgumentHelp("The limit for a connection.", valueName: "duration"))
    var connectTimeout: Clearable<Seconds>?

    @Option(help: ArgumentHelp("How long a connection may bring nothing.", valueName: "duration"))
    var silenceTimeout: Clearable<Seconds>?

    @Option(help: ArgumentHelp("How long to try without a new byte.", valueName: "duration"))
    var giveUpAfter: Clearable<Seconds>?

    @Option(help: ArgumentHelp("The first wait before a retry.", valueName: "duration"))
    var retryDelay: Clearable<Seconds>?

    @Option(help: ArgumentHelp("The longest wait before a retry.", valueName: "duration"))
    var maxRetryDelay: Clearable<Seconds>?

    @Option(help: ArgumentHelp("Statuses that are retried, separated by commas.", valueName: "status"))
    var retryStatus: Clearable<Statuses>?

    /// Sets the members that the options name.
    ///
    /// - Parameter readFile: Returns the lines of a file.
    func apply(to patch: inout Download.Patch, readFile: (String) throws -> [String]) throws {
        patch.url = url
        patch.mirrors = mirror.isEmpty ? nil : mirror == ["none"] ? .clear : .set(mirror)
        patch.refreshURL = refreshURL?.change
        try applyCredentials(to: &patch, readFile)
        patch.method = method
        patch.body = try body.map { body in
            guard case .value(let text) = body else { return .clear }
            guard text.hasPrefix("@") else { return .set(.text(text)) }
            guard text != "@-" else { throw ValidationError("--body expects a text, or @ and the path of a file.") }
            // The exact text, with its empty lines.
            return .set(.text(try InputText.read(String(text.dropFirst()))))
        }
        patch.proxy = proxy?.change
        try applyExpected(to: &patch)
        applyLimits(to: &patch)
        applyRetries(to: &patch)
    }

    private func applyCredentials(to patch: inout Download.Patch, _ readFile: (String) throws -> [String]) throws {
        if login.header == ["none"] {
            patch.requestHeaders = .clear
        } else if !login.header.isEmpty || !removeHeader.isEmpty {
            var fields = Dictionary(removeHeader.map { ($0, Change<String>.clear) }, uniquingKeysWith: { $1 })
            for (name, value) in try GetHeaders.byName(login.header, readFile: readFile) ?? [:] {
                fields[name] = .set(value)
            }
            patch.requestHeaders = .set(fields)
        }
        patch.authentication = try login.authentication(readFile)
        if login.cookie == ["none"] {
            patch.cookies = .clear
        } else if !login.cookie.isEmpty || !removeCookie.isEmpty {
            let removed = Dictionary(removeCookie.map { ($0, Change<String>.clear) }, uniquingKeysWith: { $1 })
            patch.cookies = .set(removed.merging(try login.cookies(readFile).mapValues { .set($0) }) { $1 })
        }
        patch.acceptHTML = login.acceptHtml
    }

    private func applyExpected(to patch: inout Download.Patch) throws {
        var expected = Download.Patch.Expected()
        if digest == ["none"] {
            expected.digests = .clear
        } else if !digest.isEmpty {
            expected.digests = .set(try DigestArguments.byAlgorithm(digest))
        }
        expected.sizeBytes = size?.change { $0.bytes }
        expected.contentType = contentType?.change
        if expected != Download.Patch.Expected() { patch.expected = expected }
    }

    private func applyLimits(to patch: inout Download.Patch) {
        var limits = Download.Patch.Limits()
        limits.rateBytesPerSecond = rate?.change { $0.bytesPerSecond }
        limits.connections = connections?.change
        limits.maxBytes = maxBytes?.change { $0.bytes }
        if limits != Download.Patch.Limits() { patch.limits = limits }
    }

    private func applyRetries(to patch: inout Download.Patch) {
        patch.deadlineAt = deadline?.date
        patch.maxAttempts = maxAttempts?.change
        var timeouts = Download.Patch.Timeouts()
        timeouts.connectSeconds = connectTimeout?.change { $0.count }
        timeouts.silenceSeconds = silenceTimeout?.change { $0.count }
        timeouts.giveUpSeconds = giveUpAfter?.change { $0.count }
        if timeouts != Download.Patch.Timeouts() { patch.timeouts = timeouts }
        var retry = Download.Patch.Retry()
        retry.delaySeconds = retryDelay?.change { $0.count }
        retry.maxDelaySeconds = maxRetryDelay?.change { $0.count }
        retry.statuses = retryStatus?.change { $0.values }
        if retry != Download.Patch.Retry() { patch.retry = retry }
    }
}

/// `sha-256=<hex>`
enum DigestArguments {
    static func byAlgorithm(_ texts: [String]) throws -> [String: String] {
        let digests = try texts.map { text in
            guard let digest = Digest(text) else {
                let names = DigestAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("--digest expects <algorithm>=<hex>, with one of \(names).")
            }
            return (digest.algorithm.rawValue, digest.hex)
        }
        return Dictionary(digests, uniquingKeysWith: { $1 })
    }
}

/// A size, such as `2GiB`.
struct Size: ExpressibleByArgument, Hashable {
    let bytes: Int64

    init?(argument: String) {
        guard let bytes = ByteSize.parse(argument) else { return nil }
        self.bytes = bytes
    }
}

/// A duration, such as `30s` or `15m`.
struct Seconds: ExpressibleByArgument, Hashable {
    let count: Int64

    init?(argument: String) {
        guard let duration = DurationText.parse(argument) else { return nil }
        count = duration.components.seconds
    }
}

/// HTTP statuses: `404,500`.
struct Statuses: ExpressibleByArgument, Hashable {
    let values: [Int]

    init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        values = parts.compactMap { Int($0) }
        guard values.count == parts.count else { return nil }
    }
}

/// How long a finished file is kept: a duration, or `forever`.
struct RetentionArgument: ExpressibleByArgument, Hashable {
    let retention: FileRetention

    init?(argument: String) {
        if argument == "forever" {
            retention = .forever
        } else if let seconds = Seconds(argument: argument) {
            retention = .seconds(seconds.count)
        } else {
            return nil
        }
    }
}

/// JSON, such as `{"team":"infra"}`.
struct JSONArgument: ExpressibleByArgument, Hashable {
    let value: JSONValue

    init?(argument: String) {
        guard let value = JSONValue(json: argument) else { return nil }
        self.value = value
    }
}
