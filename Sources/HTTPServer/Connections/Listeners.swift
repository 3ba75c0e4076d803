import Glibc
import Synchronization

/// The listeners of a server, and the addresses that no interface has yet.
final class Listeners: Sendable {
    private struct State {
        var open: [Listener] = []
        var awaited: [ServerAddress] = []
    }

    private let configured: [ServerAddress]
    private let report: @Sendable (ServerAddress) -> Void
    private let state = Mutex(State())

    /// Binds each address. One that no interface of the machine has is left to ``retry(for:)``.
    ///
    /// - Parameter report: Called with each address that is listened on later.
    /// - Throws: Any other reason. Then no address is listened on.
    init(
        on addresses: [ServerAddress],
        core: ServerCore,
        report: @escaping @Sendable (ServerAddress) -> Void
    ) throws(HTTPServerError) {
        configured = addresses
        self.report = report
        var state = State()
        for address in addresses {
            do {
                state.open.append(try Listener(on: address, dualStack: isDualStack(address), core: core))
            } catch .addressNotAvailable {
                state.awaited.append(address)
            } catch {
                for listener in state.open { listener.stop() }
                throw error
            }
        }
        self.state.withLock { [state] in $0 = state }
    }

    /// The addresses that are listened on, in the order of their sockets.
    var addresses: [ServerAddress] { state.withLock { $0.open.map(\.address) } }

    /// The addresses that no interface has yet.
    var awaited: [ServerAddress] { state.withLock { $0.awaited } }

    /// Tries the awaited addresses again. Whatever hinders it now is tried again too.
    func retry(for core: ServerCore) {
        for address in awaited {
            guard let listener = try? Listener(on: address, dualStack: isDualStack(address), core: core) else {
                continue
            }
            state.withLock { state in
                state.awaited.removeAll { $0 == address }
                state.open.append(listener)
            }
            report(listener.address)
        }
    }

    func quiesce() {
        for listener in state.withLock({ $0.open }) { listener.quiesce() }
    }

    func stop() {
        for listener in state.withLock({ $0.open }) { listener.stop() }
    }

    /// A socket for every IPv6 address accepts IPv4 connections too, unless another address of the list needs the same
    /// port for them.
    private func isDualStack(_ address: ServerAddress) -> Bool {
        !configured.contains { !$0.isIPv6 && $0.port == address.port && $0.port != 0 }
    }
}
