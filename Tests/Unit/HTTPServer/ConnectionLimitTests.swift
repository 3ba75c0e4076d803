import Dispatch
import Glibc
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPServer

/// Who has a place when there are more connections than places.
@Suite(.hangLimit) struct ConnectionLimitTests {
    private static func places(_ count: Int, forEachAddress: Int? = nil) -> HTTPServer.Configuration {
        configured { configuration in
            configuration.maxConnections = count
            configuration.maxConnectionsPerAddress = forEachAddress
            configuration.vitalPaths = ["/livez"]
            // No deadline gives a place back while a test runs.
            configuration.headerDeadline = .seconds(600)
            configuration.bodyDeadline = .seconds(600)
            configuration.idleTimeout = .seconds(600)
        }
    }

    @Test(arguments: [places(4), places(100, forEachAddress: 4)])
    func theOldestIdleConnectionGivesItsPlaceToANewOne(_ configuration: HTTPServer.Configuration) async throws {
        try await withServer(configuration) { server in
            let port = server.port
            let (statuses, isCut) = try await blocking {
                let clients = try (0..<4).map { _ in try RawClient(port: port) }
                defer { for client in clients { client.close() } }
                var statuses = clients.map { $0.get("/a") }
                // The oldest of them has been idle for the shortest time now.
                statuses.append(clients[0].get("/b"))
                let newcomer = try RawClient(port: port)
                defer { newcomer.close() }
                statuses.append(newcomer.get("/c"))
                let isCut = clients[1].isCut()
                return (statuses + [0, 2, 3].map { clients[$0].get("/d") }, isCut)
            }
            #expect(isCut)
            #expect(statuses == Array(repeating: 200, count: 9))
        }
    }

    static let slowStarts = [
        "", "GET / HTTP/1.1\r\nHost: a\r\nX: ", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc",
    ]

    @Test(arguments: slowStarts)
    func healthIsAnsweredWhileEveryPlaceIsTakenByAClientThatIsSlow(_ start: String) async throws {
        try await withServer(Self.places(64)) { server in
            let port = server.port
            let statuses = try await blocking {
                let clients = try (0..<200).map { _ in try RawClient(port: port) }
                defer { for client in clients { client.close() } }
                for client in clients { client.send(start) }
                return try (0..<5).map { _ in
                    let probe = try RawClient(port: port)
                    defer { probe.close() }
                    return probe.get("/livez")
                }
            }
            #expect(statuses == Array(repeating: 200, count: 5))
        }
    }

    /// A client that is being answered is not closed for another, so the newcomer is told to come back.
    @Test func whileEveryPlaceIsBusyHealthIsAnsweredAndNothingElse() async throws {
        let gate = OneTimeSignal()
        let started = DispatchSemaphore(value: 0)
        let handler: HTTPServer.Handler = { request in
            if request.path == "/slow" {
                started.signal()
                await gate.wait()
            }
            return await echo(request)
        }
        try await withServer(Self.places(8), handler: handler) { server in
            let port = server.port
            let (probes, busy) = try await blocking {
                let clients = try (0..<8).map { _ in try RawClient(port: port) }
                defer { for client in clients { client.close() } }
                for client in clients { client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n") }
                for number in 0..<8 where started.wait(timeout: .now() + 240) == .timedOut {
                    throw NotReached(expected: "8 requests that are answered", seen: "\(number)")
                }
                let probes = try (0..<100).map { index in
                    let probe = try RawClient(port: port)
                    defer { probe.close() }
                    probe.send("GET \(index.isMultiple(of: 2) ? "/livez" : "/x") HTTP/1.1\r\nHost: a\r\n\r\n")
                    return probe.readResponse()
                }
                gate.open()
                return (probes, clients.map { $0.readResponse()?.status })
            }
            for (index, probe) in probes.enumerated() {
                #expect(probe?.status == (index.isMultiple(of: 2) ? 200 : 503))
                #expect(probe?.field("connection") == "close")
                #expect(index.isMultiple(of: 2) || probe?.field("retry-after") != nil)
            }
            #expect(busy == Array(repeating: 200, count: 8))
        }
    }

    /// Clients of this machine have no limit of their own unless one is set: a proxy in front is one of them.
    @Test func loopbackHasNoLimitOfItsOwn() async throws {
        try await withServer(Self.places(1000)) { server in
            let port = server.port
            let statuses = try await blocking {
                let clients = try (0..<300).map { _ in try RawClient(port: port) }
                defer { for client in clients { client.close() } }
                for client in clients { client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
                return clients.map { $0.readResponse()?.status }
            }
            #expect(statuses == Array(repeating: 200, count: 300))
        }
    }
}

extension ConnectionLimitTests {
    @Test func anAddressOfAnotherMachineHasALimitOfItsOwn() {
        let usual = ConnectionLimits(HTTPServer.Configuration())
        let set = ConnectionLimits(configured { $0.maxConnectionsPerAddress = 5 })

        for address in ["127.0.0.1", "127.1.2.3", "::1"] {
            #expect(usual.limit(of: Self.group(address)) == nil)
            #expect(set.limit(of: Self.group(address)) == 5)
        }
        for address in ["192.0.2.1", "10.0.0.1", "128.0.0.1", "2001:db8::1", "::2"] {
            #expect(usual.limit(of: Self.group(address)) == 256)
            #expect(set.limit(of: Self.group(address)) == 5)
        }
    }

    /// Whoever has an address of IPv6 has all of its /64.
    @Test func theAddressesOfOneNetworkOfIPv6CountAsOne() {
        #expect(Self.group("2001:db8::1") == Self.group("2001:db8::ffff:1"))
        #expect(Self.group("2001:db8::1") != Self.group("2001:db8:0:1::1"))
        #expect(Self.group("192.0.2.1") != Self.group("192.0.2.2"))
        #expect(Self.group("::1").isLoopback)
    }

    private static func group(_ text: String) -> AddressGroup {
        var v4 = sockaddr_in()
        var v6 = sockaddr_in6()
        v4.sin_family = sa_family_t(AF_INET)
        v6.sin6_family = sa_family_t(AF_INET6)
        let isIPv4 = inet_pton(AF_INET, text, &v4.sin_addr) == 1
        inet_pton(AF_INET6, text, &v6.sin6_addr)
        func read(_ bytes: UnsafeRawBufferPointer) -> AddressGroup {
            AddressGroup(bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self))
        }
        return isIPv4 ? withUnsafeBytes(of: v4, read) : withUnsafeBytes(of: v6, read)
    }
}

extension RawClient {
    fileprivate func get(_ path: String) -> Int? {
        send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
        return readResponse()?.status
    }
}
