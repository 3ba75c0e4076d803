import API
import Core
import ServiceSupport
import TestSupport
import Testing
import Transfer

/// `POST /tickets`, and what a ticket opens.
@Suite(.hangLimit)
struct TicketTests {

    private static func guarded(_ body: (TestService) async throws -> Void) async throws {
        let options = TestService.Options.with {
            $0.runsScheduler = false
            $0.token = "token"
        }
        try await withService(options) { try await body($0) }
    }

    private static func ticket(_ service: TestService, for path: String, _ members: String = "") async throws -> String
    {
        let response = try await service.request("POST", "/tickets", #"{"path":"\#(path)"\#(members)}"#)
        #expect(response.status == 201)
        #expect(try response.json["path"]?.text == path)
        let text = try #require(try response.json["ticket"]?.text)
        #expect(try response.json["links"]?["resource"]?.text == "\(path)?ticket=\(text)")
        return text
    }

    private static func status(_ service: TestService, _ target: String, by method: String = "GET") async throws -> Int
    {
        try await service.client.send(method, target).status
    }

    @Test func aTicketOpensItsPathForReading() async throws {
        try await Self.guarded { service in
            let id = try await service.add("http://a.example/")
            let path = "/downloads/\(id)/events"
            let ticket = try await Self.ticket(service, for: path)

            #expect(try await Self.status(service, "\(path)?ticket=\(ticket)") == 200)
            #expect(try await Self.status(service, "\(path)?limit=1&ticket=\(ticket)", by: "HEAD") == 200)
            let reader = try await EventReader(port: service.client.port, "\(path)?ticket=\(ticket)")
            #expect(await reader.status == 200)
            for (method, target) in [
                ("GET", "/events"), ("GET", "/downloads/\(id)"), ("GET", "/downloads/\(id)/file"),
                ("GET", "/downloads"),
                ("POST", "/downloads"), ("DELETE", "/downloads/\(id)"), ("POST", "/tickets"),
            ] {
                #expect(
                    try await Self.status(service, "\(target)?ticket=\(ticket)", by: method) == 401,
                    "\(method) \(target)"
                )
            }
        }
    }

    @Test func aTicketIsGoodForItsTime() async throws {
        try await Self.guarded { service in
            let usual = try await Self.ticket(service, for: "/events")
            let short = try await Self.ticket(service, for: "/events", #","ttl_seconds":1"#)
            service.time.advance(by: .milliseconds(999))
            #expect(try await Self.status(service, "/events?ticket=\(short)") == 200)

            service.time.advance(by: .milliseconds(1))
            #expect(try await Self.status(service, "/events?ticket=\(short)") == 401)
            #expect(try await Self.status(service, "/events?ticket=\(usual)") == 200)
            service.time.advance(by: .seconds(59))
            #expect(try await Self.status(service, "/events?ticket=\(usual)") == 401)
        }
    }

    @Test func aTicketDoesNotOutliveItsTimeThoughTheClockIsSetBack() async throws {
        try await Self.guarded { service in
            let ticket = try await Self.ticket(service, for: "/events")
            service.time.setWall(by: .seconds(-3600))

            #expect(try await Self.status(service, "/events?ticket=\(ticket)") == 401)
        }
    }

    @Test func aTicketOpensAFile() async throws {
        try await Self.guarded { service in
            let id = try await service.add("http://a.example/")
            let ticket = try await Self.ticket(service, for: "/downloads/\(id)/file")

            #expect(try await Self.status(service, "/downloads/\(id)/file?ticket=\(ticket)") == 409)
            #expect(try await Self.status(service, "/downloads/\(id)/file") == 401)
        }
    }

    @Test func anInvalidTicketOpensNothing() async throws {
        try await Self.guarded { service in
            let ticket = try await Self.ticket(service, for: "/events")
            let sealer = CursorSealer(
                seal: { [vault = service.vault] in vault.seal(bytes: $0) },
                open: { [vault = service.vault] in vault.open(bytes: $0) }
            )
            let later = service.time.now + .seconds(60)
            let ofAnother = Ticket(path: "/events", expiresAt: later, grant: [1]).text(sealer)
            let cursor = Cursor(lastKey: "/events", list: "events").text(sealer)
            for text in [ofAnother, cursor, "", "x", String(ticket.dropLast()), ticket + "A"] {
                #expect(try await Self.status(service, "/events?ticket=\(text)") == 401, "\(text)")
            }
            let wrong = try await service.request(
                "GET",
                "/events?ticket=\(ticket)",
                fields: [("Authorization", "Bearer wrong")]
            )
            #expect(wrong.status == 401)
        }
    }

    @Test(arguments: [
        #"{"path":"/downloads"}"#, #"{"path":"/events?types=*"}"#, #"{"path":"events"}"#, "{}", #"{"path":1}"#,
        #"{"path":"/events","ttl_seconds":0}"#, #"{"path":"/events","ttl_seconds":301}"#,
        #"{"path":"/events","method":"GET"}"#,
    ])
    func aTicketForAnythingElseIsRefused(_ body: String) async throws {
        try await Self.guarded { service in
            let response = try await service.request("POST", "/tickets", body)

            #expect(response.status == 400)
            #expect(response.problem == "invalid-request")
        }
    }

    @Test(arguments: ["k", "a b"])
    func anIdempotencyKeyIsRefused(_ key: String) async throws {
        try await Self.guarded { service in
            let fields = [("Idempotency-Key", key)]
            let response = try await service.request("POST", "/tickets", #"{"path":"/events"}"#, fields: fields)

            #expect(response.status == 400)
            #expect(response.problem == "idempotency-key-invalid")
            let error = try #require(try response.json["errors"]?.items.first)
            #expect(error["header"]?.text == "Idempotency-Key" && error["code"]?.text == "forbidden")
        }
    }

    @Test func aTicketWithoutATokenSettingChangesNothing() async throws {
        try await withIdleService { service in
            let ticket = try await Self.ticket(service, for: "/events")

            #expect(try await Self.status(service, "/events?ticket=\(ticket)") == 200)
            let proxied = try await service.client.send("GET", "/events?ticket=\(ticket)", fields: [("Via", "1.1 a")])
            #expect(proxied.status == 401)
        }
    }
}
