import Curl
import Testing
import TestSupport

/// Connections that do not come about.
struct ConnectTests {
    @Test func aPortThatIsSilentTimesOut() async throws {
        let silent = FullPort()
        let loop = TransferLoop()

        let code = await curlCode {
            _ = try await loop.start(
                request("http://127.0.0.1:\(silent.port)/") { $0.connectTimeout = .milliseconds(100) }
            )
        }

        #expect(code == .timedOut)
        await loop.shutdown()
    }

    /// The origin reads what it is sent and waits for more.
    @Test func aHandshakeThatIsNotAnsweredTimesOut() async throws {
        try await withOrigin { origin, loop in
            let code = await curlCode {
                _ = try await loop.start(
                    request("https://127.0.0.1:\(origin.port)/") { $0.connectTimeout = .milliseconds(100) }
                )
            }

            #expect(code == .timedOut)
            #expect(origin.requests.isEmpty)
        }
    }
}
