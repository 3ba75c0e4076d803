import Curl
import URLs

extension CormorantClient {
    /// Sends a request and reads the whole answer.
    ///
    /// - Throws: ``ClientError``; `.problem` for a status of 400 or higher.
    public func send(_ request: APIRequest) async throws(ClientError) -> APIResponse {
        let exchange = try await open(request)
        let collector = BodyCollector()
        do {
            _ = try await exchange.receive(into: collector)
        } catch {
            throw failure(error)
        }
        return APIResponse(
            status: exchange.head.status,
            fields: exchange.head.fields.map { APIRequest.Pair($0.name, $0.value) },
            body: collector.bytes
        )
    }

    /// Sends a request whose body is `value` as JSON, and decodes the answer.
    func send<Body: Encodable, Result: Decodable>(
        _ method: String,
        _ path: String,
        _ body: Body,
        key: String? = nil,
        query: [APIRequest.Pair] = []
    ) async throws(ClientError) -> Result {
        var request = APIRequest(method, path, query: query)
        request.body = try ClientJSON.encode(body)
        if let key { request.fields.append(APIRequest.Pair("Idempotency-Key", key)) }
        return try ClientJSON.decode(try await send(request).body)
    }

    /// Requests a resource.
    func get<Result: Decodable>(
        _ path: String,
        query: [APIRequest.Pair] = []
    ) async throws(ClientError) -> Result {
        try ClientJSON.decode(try await send(APIRequest("GET", path, query: query)).body)
    }

    /// Sends a request and reads the head of the answer. An answer of 400 or higher is thrown, and one that is not the
    /// service's. While a gateway has no service, a `GET` is repeated for the time of the options.
    func open(_ request: APIRequest, isEndless: Bool = false) async throws(ClientError) -> Exchange {
        let deadline = ContinuousClock.now + options.gatewayPatience
        var pause = Duration.milliseconds(250)
        while true {
            do throws(ClientError) {
                return try await openOnce(request, isEndless: isEndless)
            } catch {
                let mayRepeat = error.isOfGateway && request.method == "GET" && !isEndless
                guard mayRepeat, ContinuousClock.now + pause < deadline else { throw error }
            }
            // Nothing tells when the service behind the gateway is back.
            do { try await Task.sleep(for: pause) } catch { throw .cancelled }
            pause = min(pause * 2, .seconds(3))
        }
    }

    private func openOnce(_ request: APIRequest, isEndless: Bool) async throws(ClientError) -> Exchange {
        let exchange: Exchange
        do {
            exchange = try await loop.start(try transferRequest(request, isEndless: isEndless))
        } catch let error as CurlError {
            throw failure(error)
        } catch let error as ClientError {
            throw error
        } catch {
            throw .unreachable(server: server, reason: "\(error)")
        }
        guard exchange.head.status >= 400 else {
            guard request.answer.isIn(exchange.head) else { throw await foreign(exchange) }
            return exchange
        }
        throw await refusal(exchange, of: request)
    }

    private func transferRequest(_ request: APIRequest, isEndless: Bool) throws -> TransferRequest {
        let url = (try? GivenURL(parsing: server + request.target))?.url
        guard var transfer = url.flatMap(TransferRequest.init(to:)) else {
            throw ClientError.invalidServer(server + request.path, "The path cannot be requested.")
        }
        transfer.headers = [HeaderField("User-Agent", options.userAgent)]
        if let token {
            let field = HeaderField("Authorization", "Bearer \(token)")
            guard field.isSendable else { throw ClientError.invalidToken }
            transfer.headers.append(field)
        }
        transfer.headers += request.fields.map { HeaderField($0.name, $0.value) }
        if let body = request.body {
            transfer.headers.append(HeaderField("Content-Type", "application/json"))
            transfer.method = .named(request.method, body: body)
        } else if request.method == "POST" {
            transfer.headers.append(HeaderField("Content-Type", "application/json"))
            transfer.method = .post(body: [])
        } else if request.method != "GET" {
            transfer.method = .named(request.method, body: nil)
        }
        transfer.connectTimeout = options.connectTimeout
        transfer.headTimeout = options.timeout + request.serverWait
        transfer.certificateAuthorityFile = options.certificateAuthorityFile
        // A request that waits brings no byte meanwhile, and a silent stream one line in 15 seconds.
        if request.serverWait > .zero { transfer.lowSpeedLimit = nil }
        if isEndless {
            transfer.lowSpeedLimit = TransferRequest.LowSpeedLimit(bytesPerSecond: 1, window: .seconds(120))
            transfer.gatherBytes = { 16 << 10 }
        }
        return transfer
    }

    /// The error for an answer of another server.
    private func foreign(_ exchange: Exchange) async -> ClientError {
        let head = exchange.head
        let place = head.single("Location").map { "to \($0)" }
        let collector = BodyCollector(limit: 64 << 10)
        if place == nil { _ = try? await exchange.receive(into: collector) } else { await exchange.discard() }
        let excerpt = place ?? Self.excerpt(of: collector.bytes)
        return .notCormorant(status: head.status, excerpt: excerpt.safe)
    }

    private static func excerpt(of bytes: [UInt8]) -> String {
        let line = String(decoding: bytes.prefix(120), as: UTF8.self).split(whereSeparator: \.isNewline)
        return String(line.first ?? "")
    }

    private func refusal(_ exchange: Exchange, of request: APIRequest) async -> ClientError {
        let collector = BodyCollector(limit: 64 << 10)
        _ = try? await exchange.receive(into: collector)
        let head = exchange.head
        let type = head.single("Content-Type") ?? ""
        guard type.hasPrefix("application/problem+json"),
            var problem: Problem = try? ClientJSON.decode(collector.bytes)
        else {
            return .notCormorant(status: head.status, excerpt: Self.excerpt(of: collector.bytes).safe)
        }
        problem.path = request.path
        problem.retryAfterSeconds = head.single("Retry-After").flatMap { Int($0) }
        return .problem(problem)
    }

    func failure(_ error: CurlError) -> ClientError {
        error.code == .aborted ? .cancelled : .unreachable(server: server, reason: error.description)
    }
}

extension String {
    /// At most 120 characters, none of which controls a terminal.
    fileprivate var safe: String {
        String(
            unicodeScalars.prefix(120).map { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: "?"
                default: Character(scalar)
                }
            }
        )
    }
}
