import Curl
import Model

extension OriginClient {
    /// An answer whose body has not been taken.
    ///
    /// A class for the sake of memory, as the client is.
    final class Answer: Sendable {
        let exchange: Exchange
        let pass: HostPass
        let response: OriginResponse
        /// What a server of files says; nil for an answer of HTTP.
        let file: FileAnswer?
        /// Whom the first request asked, before any redirect.
        let source: SourceURL
        let finalURL: SourceURL
        let redirects: Int
        /// The time from the last request to the head of its answer.
        let latency: Duration
        let entry: LoggedRequest?

        init(
            exchange: Exchange,
            pass: HostPass,
            response: OriginResponse,
            file: FileAnswer?,
            source: SourceURL,
            finalURL: SourceURL,
            redirects: Int,
            latency: Duration,
            entry: LoggedRequest?
        ) {
            self.exchange = exchange
            self.pass = pass
            self.response = response
            self.file = file
            self.source = source
            self.finalURL = finalURL
            self.redirects = redirects
            self.latency = latency
            self.entry = entry
        }

        /// Ends the transfer, of whose body no more is wanted.
        func discard() async {
            await exchange.discard()
            entry?.end(exchange.receivedBytes)
        }

        /// Where this answer sends the client; nil if it is to be judged itself.
        var redirectLocation: String? {
            guard file == nil, [301, 302, 303, 307, 308].contains(response.status) else { return nil }
            return response.location.flatMap { $0.isEmpty ? nil : $0 }
        }
    }
}
