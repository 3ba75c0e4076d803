import Application
import ArgumentParser
import Client
import FoundationEssentials
import Linux

/// The options of every command that speaks to a service.
struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The service (or CORMORANT_SERVER); \(CormorantClient.defaultServer) by default.",
            valueName: "url"
        )
    )
    var server: String?

    @Option(
        help: ArgumentHelp(
            "A file with the token of the service (or CORMORANT_TOKEN_FILE; the token itself: CORMORANT_TOKEN).",
            valueName: "file"
        ),
        completion: .file()
    )
    var tokenFile: String?

    @Option(
        help: ArgumentHelp("Certificates to trust in place of the system's.", valueName: "file"),
        completion: .file()
    )
    var caFile: String?

    /// - Throws: ``CommandFailure`` if the URL or the token cannot be used.
    func client(gatewayPatience: Duration) throws -> CormorantClient {
        var values = values
        values.gatewayPatience = gatewayPatience
        return try values.client()
    }

    var values: Values { Values(server: server, tokenFile: tokenFile, caFile: caFile) }
}

extension ServerOptions {
    /// The options without their declaration.
    struct Values {
        var server: String?
        var tokenFile: String?
        var caFile: String?
        /// How long to wait for an answer; nil for the default.
        var timeout: Duration?
        /// How long look-ups are repeated while a gateway has no service.
        var gatewayPatience = Duration.zero

        func client(
            _ environment: [String: String] = ProcessInfo.processInfo.environment
        ) throws -> CormorantClient {
            var options = CormorantClient.Options()
            options.userAgent = VersionText.userAgent
            options.certificateAuthorityFile = caFile
            options.gatewayPatience = gatewayPatience
            if let timeout {
                options.connectTimeout = timeout
                options.timeout = timeout
            }
            let token = try token(environment)
            do {
                return try CormorantClient(
                    server: server ?? environment.value("CORMORANT_SERVER") ?? CormorantClient.defaultServer,
                    token: token,
                    options: options
                )
            } catch {
                throw CommandFailure(error)
            }
        }

        /// Where the token comes from, for people; nil without one.
        func tokenOrigin(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> String? {
            if let tokenFile { return "\(tokenFile), of --token-file" }
            if environment.value("CORMORANT_TOKEN") != nil { return "CORMORANT_TOKEN" }
            return environment.value("CORMORANT_TOKEN_FILE").map { "\($0), of CORMORANT_TOKEN_FILE" }
        }

        private func token(_ environment: [String: String]) throws -> String? {
            let path = tokenFile ?? environment.value("CORMORANT_TOKEN_FILE")
            if tokenFile == nil, let token = environment.value("CORMORANT_TOKEN") {
                guard path == nil else {
                    throw CommandFailure(.usage, "CORMORANT_TOKEN and CORMORANT_TOKEN_FILE are both set. Expected one.")
                }
                return token
            }
            guard let path else { return nil }
            do {
                let token = try SecretFile.read(path: path).text
                guard !token.isEmpty else { throw CommandFailure(.usage, "the token file \(path) is empty") }
                return token
            } catch let error as SystemError {
                throw CommandFailure(ExitStatus(opening: error), "the token file \(path): \(error.message)")
            }
        }
    }
}

extension [String: String] {
    /// The value of a variable; nil if it is absent or empty.
    func value(_ name: String) -> String? { self[name].flatMap { $0.isEmpty ? nil : $0 } }
}

/// A command that speaks to a service.
protocol ServiceCommand: AsyncParsableCommand {
    var connection: ServerOptions { get }
    /// How long look-ups are repeated while a gateway has no service.
    var gatewayPatience: Duration { get }

    func run(_ client: CormorantClient) async throws
}

extension ServiceCommand {
    var gatewayPatience: Duration { .zero }

    func run() async throws {
        do {
            try ProcessHardening.apply()
        } catch {
            throw CommandFailure(hardening: error)
        }
        do {
            try await run(try connection.client(gatewayPatience: gatewayPatience))
        } catch let error as ClientError {
            throw CommandFailure(error, tokenOrigin: connection.values.tokenOrigin())
        }
    }
}

extension CommandFailure {
    /// - Parameter tokenOrigin: Where the token came from that was sent.
    init(_ error: ClientError, tokenOrigin: String? = nil) {
        self.init(ExitStatus(error), error.explanation(tokenOrigin))
    }
}

extension ExitStatus {
    /// The exit code for a request without a result.
    init(_ error: ClientError) {
        switch error {
        case .invalidServer, .invalidToken: self = .usage
        case .unreachable: self = .unavailable
        case .problem(let problem): self.init(problem)
        case .notCormorant, .undecodable: self = .protocol
        case .cancelled: self = .temporary
        }
    }

    init(_ problem: Problem) {
        switch problem.status {
        case 400, 405, 406, 413, 414, 415, 422: self = .usage
        case 401, 403, 421: self = .permission
        case 404, 410: self = .noInput
        case 429, 503: self = .temporary
        case 507: self = .inputOutput
        default: self = .protocol
        }
    }
}

extension ClientError {
    /// The error with what the user can do about it.
    fileprivate func explanation(_ tokenOrigin: String?) -> String {
        switch self {
        case .unreachable:
            return
                "\(self)\nIs the service running there? Start it with 'cormorant serve', or name another with --server."
        case .problem(let problem) where problem.status == 401:
            guard let tokenOrigin else {
                return "The service needs a token. Give it with --token-file, CORMORANT_TOKEN_FILE or CORMORANT_TOKEN."
            }
            return
                "The service does not accept this token: \(tokenOrigin). Expected the token that it was started with."
        case .problem(let problem): return problem.absence ?? "\(self)"
        default: return "\(self)"
        }
    }
}

extension Problem {
    /// Which resource of the path does not exist; nil for another problem.
    var absence: String? {
        guard status == 404, let path else { return nil }
        let parts = path.split(separator: "/").map { $0.percentDecoded.printable }
        guard parts.count > 1, let kind = Self.kinds[parts[0]] else { return nil }
        let deleted = kind == "host" ? "" : " It may have been deleted."
        guard kind == "webhook", parts.count > 3, parts[2] == "deliveries" else {
            return "There is no \(kind) '\(parts[1])'.\(deleted)"
        }
        return "There is no delivery '\(parts[3])' of the webhook '\(parts[1])'.\(deleted)"
    }

    private static let kinds = [
        "downloads": "download", "sessions": "session", "webhooks": "webhook", "hosts": "host",
        "operations": "operation",
    ]
}

extension StringProtocol {
    /// The text of a percent-encoded one.
    fileprivate var percentDecoded: String {
        var (bytes, rest): ([UInt8], Substring.UTF8View) = ([], Substring(self).utf8)
        while let byte = rest.popFirst() {
            let code = String(rest.prefix(2)) ?? ""
            if byte == UInt8(ascii: "%"), code.count == 2, let value = UInt8(code, radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
