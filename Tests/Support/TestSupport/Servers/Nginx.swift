import Foundation
import Glibc

/// nginx in one process in the foreground, with its files in a folder of the test.
public final class Nginx: Sendable {
    private let program: Program

    public static var path: String? { InstalledProgram.path("nginx") }

    /// - Parameter server: The directives of its only server.
    public static func configuration(in folder: String, server: String) -> String {
        """
        daemon off; master_process off; pid \(folder)/pid; error_log stderr;
        events {}
        http {
            access_log off;
            client_body_temp_path \(folder)/a; proxy_temp_path \(folder)/b; fastcgi_temp_path \(folder)/c;
            uwsgi_temp_path \(folder)/d; scgi_temp_path \(folder)/e;
            server { \(server) }
        }

        """
    }

    /// Starts it, and waits until it answers.
    ///
    /// - Parameters:
    ///   - port: A port of the server on which it speaks clear text.
    ///   - server: The directives of its only server.
    public init(in folder: TemporaryFolder, port: UInt16, server: String) async throws {
        guard let path = Self.path else { throw NotReached(expected: "nginx", seen: "it is not installed") }
        folder.write(Self.configuration(in: folder.path, server: server), to: "settings")
        program = try await Program(
            path,
            ["-c", folder("settings")],
            environment: ProcessInfo.processInfo.environment.merging(["HOME": folder.path]) { $1 }
        )
        // nginx does not print that it is ready.
        try await poll("nginx", because: .readiness) {
            try? await HTTPClient(port: port).send("GET", "/")
        } is: {
            $0 != nil
        }
    }

    public func stop() { program.send(SIGKILL) }
}
