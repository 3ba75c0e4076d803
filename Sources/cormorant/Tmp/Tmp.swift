import Foundation
import Jobs
import Logging
import MicroHTTP
import Model
import Transfers
struct ConfigurationError: Error { let m: String; init(_ m: String) { self.m = m } }
enum Version { static let userAgent = "Cormorant/0.1.0" }
struct ListenAddress { var host = "127.0.0.1"; var port: UInt16 = 8080; var isLoopback: Bool { host.hasPrefix("127.") } }
struct Settings {
  var dataDirectory = ProcessInfo.processInfo.environment["CORMORANT_DATA_DIR"] ?? "data"
  var listen = ListenAddress(port: UInt16(ProcessInfo.processInfo.environment["PORT"] ?? "8080")!)
  var token: String? = nil
  var publicHosts: [String] = []
  var corsOrigins: [String] = []
  var webhookURL: SourceURL? = ProcessInfo.processInfo.environment["CORMORANT_WEBHOOK_URL"].map { try! SourceURL.parse($0).url }
  var webhookSecret: String? = nil
  var keyFile: String? = nil
  var drainTimeout: Duration = .seconds(25)
  var engine: EngineSettings { var e = EngineSettings(loops: 2); if ProcessInfo.processInfo.environment["CORMORANT_DIGEST"] == "none" { e.digest = nil }; return e }
  var jobs: JobSettings { JobSettings(maxConcurrent: Int(ProcessInfo.processInfo.environment["CORMORANT_MAX_CONCURRENT"] ?? "64")!) }
  var server: HTTPServer.Configuration { var c = HTTPServer.Configuration(); c.port = listen.port; return c }
}
@main struct Main { static func main() async throws {
  var logger = Logger(label: "cormorant", factory: { StreamLogHandler.standardError(label: $0) }); logger.logLevel = Logger.Level(rawValue: ProcessInfo.processInfo.environment["CORMORANT_LOG_LEVEL"] ?? "info")!
  try await Composition(settings: Settings(), logger: logger).serve() } }
