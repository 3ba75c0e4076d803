import Core
import Curl
import HTTPTypes
import Linux
import Service
import ServiceSupport
import Store
import TestSupport
import Testing
import Transfer

@testable import API
@testable import HTTPServer

/// What a client and the log are told when the service is at fault.
@Suite(.hangLimit)
struct FaultTests {
    @Test func aDatabaseThatCannotBeReadIsAnInternalErrorWithItsCauseInTheLog() async throws {
        let folder = TemporaryFolder()
        let logs = LogRecorder()
        let store = try Store(.file(folder("cormorant.db")), encode: JSONEncoding.encode)
        defer { store.close() }
        let time = ManualTime()
        let id = DownloadID(at: time.now)
        let draft = DownloadRequest(url: try GivenURL(parsing: "http://a.example/").url)
        let new = NewDownload(id: id, request: draft, starts: true, deadlineAt: time.now + .seconds(9))
        _ = try await store.create([new], atomically: true, now: time.now)
        // What was committed last is in the log alone.
        folder.write("", to: "cormorant.db-wal")

        let request = get("/downloads/\(id)")
        guard case .admitted(_, let handler) = try api(store, folder, time, logs).admit(request.head) else {
            throw HTTPClient.Failure(text: "refused")
        }
        let response = await handler(request)
        let body = response.text

        #expect(response.status == .internalServerError)
        #expect(body.contains("/problems/internal") && body.contains("\"request_id\":\"r1\""))
        #expect(!body.contains("SQLite"))
        #expect(logs.lines.contains { $0.hasPrefix("error") && $0.contains("r1") && $0.contains("SQLite") })
    }

    private func get(_ path: String) -> ServerRequest {
        let head = ServerRequest.Head(
            method: .get,
            target: path,
            path: path,
            query: nil,
            authority: "localhost",
            host: "localhost",
            isHTTP10: false,
            headerFields: [.requestID: "r1"],
            remoteAddress: "127.0.0.1"
        )
        return ServerRequest(head: head, body: [])
    }

    private func api(_ store: Store, _ folder: TemporaryFolder, _ time: ManualTime, _ logs: LogRecorder) throws -> API {
        let root = try Directory(path: folder.path)
        let running = RunningDownloads()
        let vault = CredentialVault(key: [UInt8](repeating: 7, count: 32))
        let engine = Engine(
            settings: EngineSettings(),
            folders: Folders(downloads: root, parts: root),
            pool: BlockingPool(threads: 1),
            time: time.source
        )
        let service = DownloadService(
            store: store,
            engine: engine,
            running: running,
            rates: RateControl(
                settings: ServiceLimits(),
                stored: StoredLimits(),
                engine: engine,
                running: running,
                time: time.source,
                utcOffsetMinutes: { _ in 0 },
                logger: logs.logger
            ),
            vault: vault,
            settings: ServiceSettings(),
            time: time.source
        )
        return API(
            API.Services(
                downloads: service,
                webhooks: WebhookService(
                    store: store,
                    vault: vault,
                    settings: DeliverySettings(secret: WebhookSecret.random().secret, userAgent: "Cormorant/test"),
                    retention: .seconds(1),
                    time: time.source
                ),
                events: EventHub(service: service, running: running, time: time.source, logger: logs.logger),
                running: running
            ),
            cursors: CursorSealer(seal: { vault.seal(bytes: $0) }, open: { vault.open(bytes: $0) }),
            settings: API.Settings(),
            time: time.source,
            logger: logs.logger
        )
    }
}

extension ServerResponse {
    fileprivate var text: String {
        guard case .bytes(let bytes) = body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }
}
