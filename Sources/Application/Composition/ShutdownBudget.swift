import API
import Core
import HTTPServer
import Service
import Store
import Transfer
import UnixSignals

/// The shares of the shutdown timeout for the components that stop one after another. A component's unused time goes to
/// the next one. No component can use the share of the next one.
public struct ShutdownBudget: Sendable {
    /// For in-flight requests. Longer ones are aborted.
    public var requests: Duration
    /// For in-flight deliveries. Longer ones are sent again after the restart.
    public var webhooks: Duration
    /// For all services together; nil for no limit. The next start takes over downloads whose workers have not recorded
    /// their last bytes by then. The remaining time is for closing transfers and the store.
    public var services: Duration?

    public init(requests: Duration, webhooks: Duration, services: Duration?) {
        self.requests = requests
        self.webhooks = webhooks
        self.services = services
    }

    /// In-flight requests get 40 % of the timeout, deliveries 20 %.
    init(total: Duration) {
        self.init(requests: total * 2 / 5, webhooks: total / 5, services: total * 9 / 10)
    }
}
