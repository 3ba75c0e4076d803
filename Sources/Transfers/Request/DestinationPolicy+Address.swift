public import Curl
public import Model

extension DestinationPolicy {
    /// Judges the address that libcurl is about to connect to.
    public func allows(_ address: SocketAddress, scheme: URLScheme) -> Bool {
        guard let ip = IPAddress(bytes: address.bytes) else { return false }
        return judge(ip, port: address.port, scheme: scheme) == nil
    }
}
