import Foundation

/// Programs of the machine that some tests need.
enum InstalledProgram {
    /// The path of a program in `PATH` or in the folder of system services; nil if it is not installed.
    static func path(_ name: String) -> String? {
        let folders = "\(ProcessInfo.processInfo.environment["PATH"] ?? ""):/usr/sbin"
        return folders.split(separator: ":").map { "\($0)/\(name)" }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }
}

/// nginx in one process in the foreground, with its files in a folder of the test.
enum Nginx {
    static var path: String? { InstalledProgram.path("nginx") }

    /// - Parameter server: The directives of its only server.
    static func configuration(in folder: String, server: String) -> String {
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
}
