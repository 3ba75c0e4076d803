import Application
import ArgumentParser
import Client
import Curl
import FoundationEssentials
import HTTPServer
import HTTPTypes
import Linux
import URLs

/// `cormorant webhook listen`
struct WebhookListenCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Receive events on this machine: verify, print and pass them on, until interrupted.",
        discussion: """
            It makes a webhook with a secret of its own, and deletes it at the end. With --forward-to each delivery is \
            passed on as it came; the answer of that receiver is the answer to the service, so a failure is retried. \
            The secret is printed, so that the receiver can verify too. The service must permit http \
            (allow_insecure_webhooks). On another machine it also needs --public-url, an address that it can reach.
            """
    )

    @Option(help: ArgumentHelp("A receiver on this machine, such as http://localhost:3000/hook.", valueName: "url"))
    var forwardTo: String?

    @Option(help: ArgumentHelp("The address to listen on.", valueName: "address:port"))
    var listen = "127.0.0.1:0"

    @Option(help: ArgumentHelp("The URL under which the service reaches it.", valueName: "url"))
    var publicURL: String?

    @OptionGroup var filter: EventFilterOptions

    @Option(help: ArgumentHelp("The secret, whsec_ and base 64, in a file; a new one by default.", valueName: "file"))
    var secretFile: String?

    @OptionGroup(title: "Service") var connection: ServerOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let forwardTo, (try? GivenURL(parsing: forwardTo)) == nil {
            throw ValidationError("--forward-to expects a URL such as http://localhost:3000/hook.")
        }
        guard ListenAddress(listen) != nil else { throw ValidationError("--listen expects <address>:<port>.") }
    }

    func run(_ client: CormorantClient) async throws {
        let secret = try secretFile.map(Self.readSecret) ?? WebhookSignature.makeSecret()
        guard let signature = WebhookSignature(secret: secret), let address = ListenAddress(listen) else {
            throw CommandFailure(.usage, "--secret-file expects a file with whsec_ and base 64")
        }
        let receiver = WebhookReceiver(
            signature: signature,
            forwarding: try forwardTo.map { try GivenURL(parsing: $0).url },
            printer: Printer(output.output)
        )
        let server = try Self.start(address, receiver)
        let (result, signal) = await Interruption.guarding {
            await Self.serve(client, new(secret, port: server.port))
        }
        await server.shutdown(deadline: .seconds(2))
        if case .failure(let failure) = result { throw failure }
        if let signal { throw ExitCode(signal) }
    }

    private static func readSecret(_ path: String) throws(CommandFailure) -> String {
        do {
            return try SecretFile.read(path: path).text
        } catch {
            throw CommandFailure(ExitStatus(opening: error), "--secret-file: \(path): \(error.message)")
        }
    }

    private static func start(_ address: ListenAddress, _ receiver: WebhookReceiver) throws -> HTTPServer {
        var configuration = HTTPServer.Configuration()
        configuration.addresses = [ServerAddress(host: address.host, port: address.port)]
        configuration.threads = 1
        do throws(HTTPServerError) {
            let server = try HTTPServer(configuration: configuration, maxBodyBytes: 1 << 20) {
                await receiver.receive($0)
            }
            // A service waits for its address, a command does not.
            guard server.awaitedAddresses.isEmpty else { throw .addressNotAvailable(address.host) }
            return server
        } catch {
            throw CommandFailure(starting: error)
        }
    }

    private func new(_ secret: String, port: UInt16) -> NewWebhook {
        var new = NewWebhook(url: publicURL ?? "http://127.0.0.1:\(port)/")
        filter.apply(to: &new)
        new.description = "cormorant webhook listen"
        new.secret = secret
        return new
    }

    /// Makes the webhook, waits until it is interrupted, and deletes the webhook.
    private static func serve(
        _ client: CormorantClient,
        _ new: NewWebhook
    ) async -> Result<Void, CommandFailure> {
        let webhook: Client.Webhook
        do {
            webhook = try await client.createWebhook(new)
        } catch {
            return .failure(CommandFailure(refusing: new, error))
        }
        StandardStream.error.tell(
            """
            Events of \(client.server) come to \(new.url) (\(webhook.id)); Ctrl-C ends it.
            The signature of each delivery is verified before it is printed.
            The secret is \(new.secret ?? "").

            """
        )
        // The receiver works in another task. This one waits only until the user interrupts the command.
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
        // The task is cancelled; another one deletes the webhook.
        let end = Task { try? await client.deleteWebhook(webhook.id) }
        _ = await end.value
        return .success(())
    }
}

extension CommandFailure {
    /// The failure of a webhook for this machine, with what the operator can do about it.
    fileprivate init(refusing new: NewWebhook, _ error: ClientError) {
        guard case .problem(let problem) = error, problem.errors?.contains(where: { $0.pointer == "/url" }) == true,
            new.url.hasPrefix("http:")
        else {
            self.init(error)
            return
        }
        self.init(
            ExitStatus(problem),
            """
            The service does not send to \(new.url): it permits https only. Start it with \
            --allow-insecure-webhooks true (CORMORANT_ALLOW_INSECURE_WEBHOOKS=true), or name an https address that \
            leads here with --public-url.
            """
        )
    }
}

/// Verifies deliveries, prints them and passes them on.
struct WebhookReceiver: Sendable {
    let signature: WebhookSignature
    let forwarding: DownloadURL?
    let printer: Printer
    private let loop = TransferLoop()

    init(signature: WebhookSignature, forwarding: DownloadURL?, printer: Printer) {
        self.signature = signature
        self.forwarding = forwarding
        self.printer = printer
    }

    func receive(_ request: ServerRequest) async -> ServerResponse {
        guard request.head.method == .post else { return ServerResponse(status: .methodNotAllowed) }
        do {
            try signature.verify(request.body, now: Date().timeIntervalSince1970) { name in
                HTTPField.Name(name).flatMap { request.head.headerFields[$0] }
            }
        } catch {
            StandardStream.error.tell("cormorant: refused a delivery: \(error.explanation)\n")
            return ServerResponse(status: .unauthorized)
        }
        let (status, note) = await forward(request)
        show(request, note)
        return ServerResponse(status: HTTPResponse.Status(code: status))
    }

    private func show(_ request: ServerRequest, _ note: String) {
        let event = Event(
            delivery: request.body,
            id: HTTPField.Name("webhook-id").flatMap { request.head.headerFields[$0] }
        )
        let text: String =
            switch printer.format {
            case .json, .jsonl: RawJSON.line(request.body)
            case .name: (event?.id ?? "").printable
            case .table, .wide:
                event.map { EventText.line($0, isColoured: printer.isColoured) } ?? "an event that cannot be read"
            }
        try? StandardStream.output.putStyled(text + (printer.format == .table ? note.printable : "") + "\n")
    }

    /// - Returns: The status for the service, and what is printed of it.
    private func forward(_ request: ServerRequest) async -> (Int, String) {
        guard var transfer = forwarding.flatMap(TransferRequest.init(to:)) else { return (204, "") }
        transfer.method = .post(body: request.body)
        transfer.headTimeout = .seconds(14)
        transfer.headers = request.head.headerFields.compactMap { field in
            Self.ownFields.contains(field.name.canonicalName)
                ? nil : HeaderField(field.name.rawName, field.value)
        }
        do {
            let exchange = try await loop.start(transfer)
            await exchange.discard()
            return (exchange.head.status, "  → HTTP \(exchange.head.status)")
        } catch {
            return (502, "  → \(error.description)")
        }
    }

    /// Fields of the connection to this receiver, which the next one sets itself.
    private static let ownFields: Set<String> = [
        "host", "connection", "content-length", "transfer-encoding", "expect", "te", "upgrade", "keep-alive",
    ]
}

extension WebhookSignature.Refusal {
    fileprivate var explanation: String {
        switch self {
        case .missing(let name): "the field \(name) is missing"
        case .time: "its timestamp differs by more than five minutes"
        case .signature: "no signature matches the secret"
        }
    }
}
