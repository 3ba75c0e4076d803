import Foundation
import ServiceSupport
import TestSupport
import Testing

/// A network of a process's own (network_namespaces(7)).
enum NetworkNamespace {
    private static let tools = ["/usr/bin/unshare", "/usr/bin/nsenter", "/usr/sbin/ip"]
    static let isAllowed =
        tools.allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
        && (try? PreloadedLibrary.run("unshare --net true")) != nil
    static let reason = "a network namespace cannot be made, or ip(8) is missing"
}

/// An address on which the service is to listen, and which the machine gets later: a VPN, a bridge, a slow DHCP server.
@Suite(.enabled(if: NetworkNamespace.isAllowed, Comment(rawValue: NetworkNamespace.reason)), .hangLimit)
struct ListenTests {
    private let folder = TemporaryFolder()

    /// Runs a command in the network of the service.
    private func result(_ service: ServiceProcess, _ command: String...) async throws -> Program.Result {
        try await Program(
            "/usr/bin/nsenter",
            ["--target", "\(service.processID)", "--net"] + command,
            environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        ).result()
    }

    @Test func anAddressThatTheMachineGetsLaterIsServedThen() async throws {
        let service = try await ServiceProcess(
            dataFolder: folder("data"),
            arguments: ["--listen", "127.0.0.1:8080,192.0.2.7:8081", "--min-free-bytes", "0"],
            launcher: [
                "/usr/bin/unshare", "--net", "/bin/sh", "-c", #"/usr/sbin/ip link set lo up && exec "$@""#, "sh",
            ]
        )
        let probe = [Program.cormorantPath, "healthcheck", "--server"]
        #expect(try await result(service, probe[0], probe[1], probe[2], "http://127.0.0.1:8080").exitCode == 0)
        #expect(try await result(service, "ip", "address", "add", "192.0.2.7/32", "dev", "lo").exitCode == 0)
        try await poll("the service at its new address", because: .otherProcess) {
            try await result(service, probe[0], probe[1], probe[2], "http://192.0.2.7:8081").exitCode == 0
        }

        #expect(try await service.terminate() == 0)
        let log = try await service.log()
        #expect(log.contains("no interface has this address yet; it is tried each second"))
        #expect(log.contains(#""server.address":"192.0.2.7""#))
    }
}
