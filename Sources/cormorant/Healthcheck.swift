import Application
import ArgumentParser
import Core
import Curl
import Transfer

/// Checks whether a service responds.
struct Healthcheck {
    private let url: DownloadURL
    private let request: TransferRequest
    private let timeout = Duration.seconds(3)

    /// - Parameter server: The root URL of the service.
    init(server: String) throws(CommandFailure) {
        do {
            url = try GivenURL(parsing: "/livez", relativeTo: GivenURL(parsing: server).url).url
        } catch {
            throw CommandFailure(.usage, "the server's URL is not valid: \(error)")
        }
        guard let request = TransferRequest(to: url) else {
            throw CommandFailure(.usage, "the server's URL is not valid")
        }
        self.request = request
    }

    /// The reason why the service is not healthy; nil if it is.
    func failure() async -> String? {
        var request = request
        request.connectTimeout = timeout
        request.headTimeout = timeout
        request.totalTimeout = timeout
        let loop = TransferLoop()
        let response = await response(to: request, of: loop)
        await loop.shutdown()
        switch response {
        case .success(200): return nil
        case .success(let status): return "\(url.origin) answers with status \(status)"
        case .failure(let error): return "\(url.origin) does not answer: \(error.description)"
        }
    }

    private func response(to request: TransferRequest, of loop: TransferLoop) async -> Result<Int, CurlError> {
        do {
            let exchange = try await loop.start(request)
            await exchange.discard()
            return .success(exchange.head.status)
        } catch {
            return .failure(error)
        }
    }
}

/// `cormorant healthcheck`: for containers, which have no other HTTP client.
struct HealthcheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "healthcheck",
        abstract: "Check whether the service is alive: exits with 0 if it is, else with 69.",
        usage: "cormorant healthcheck [--server <url>] [--config <file>] [--listen <address>]",
        discussion: """
            Without --server it asks the addresses that the settings let the service listen on, one after another \
            until one answers. They are read as by cormorant serve.
            """
    )

    @OptionGroup var arguments: SettingsArguments

    @Option(help: ArgumentHelp("The service, such as http://127.0.0.1:8080.", valueName: "url"))
    var server: String?

    func run() async throws {
        let servers = try server.map { [$0] } ?? arguments.load().settings.listen.map { "http://\($0.reachable)" }
        var reasons: [String] = []
        for server in servers {
            guard let reason = try await Healthcheck(server: server).failure() else { return }
            reasons.append(reason)
        }
        throw CommandFailure(.unavailable, reasons.joined(separator: "\n"))
    }
}
