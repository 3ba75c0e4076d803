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
            throw CommandFailure(error)
        }
    }
}

extension CommandFailure {
    init(_ error: ClientError) { self.init(ExitStatus(error), error.explanation) }
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
    fileprivate var explanation: String {
        switch self {
        case .unreachable:
            "\(self)\nIs the service running there? Start it with 'cormorant serve', or name another with --server."
        case .problem(let problem) where problem.status == 401:
            "\(self)\nGive the token of the service with --token-file, CORMORANT_TOKEN_FILE or CORMORANT_TOKEN."
        case .problem(let problem) where problem.status == 404 && problem.detail == nil:
            "The service has nothing of this id or name."
        default: "\(self)"
        }
    }
}
