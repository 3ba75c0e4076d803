import Glibc

/// The sockets of a loop's connections, found by their two ends, so that a kept one can be looked at before it is used
/// again.
///
/// libcurl says no more of it than its addresses, and before version 8 uses it even where something lies unread on it:
/// what an origin sent beyond its last response would pass for the next one.
final class KeptSockets {
    struct Ends: Hashable {
        let localPort: UInt16
        let remote: SocketAddress
    }

    private var descriptors: [Ends: Int32] = [:]
    private var holders: [Ends: TransferID] = [:]
    private static let mostEnds = 4096

    /// Notes which of the sockets that a transfer opened is that of its connection.
    func note(_ ends: Ends, among opened: [Int32]) {
        if descriptors.count >= Self.mostEnds {
            descriptors = descriptors.filter { Self.localPort(of: $0.value) == $0.key.localPort }
        }
        descriptors[ends] = opened.last { Self.localPort(of: $0) == ends.localPort }
    }

    // MARK: - Who uses them

    /// Whether no other transfer is under way on a connection.
    ///
    /// To a host of which it knows a connection over HTTP/2, libcurl before version 8.6 gives a request any connection,
    /// also one over HTTP/1.1 on which an answer is coming: each would get bytes of the other's
    /// (https://github.com/curl/curl/pull/12373).
    func isFree(_ ends: Ends, for transfer: TransferID) -> Bool { (holders[ends] ?? transfer) == transfer }

    func hold(_ ends: Ends, for transfer: TransferID) { holders[ends] = transfer }

    func letGo(of ends: Ends, by transfer: TransferID) {
        if holders[ends] == transfer { holders[ends] = nil }
    }

    // MARK: - What lies on them

    /// Whether something has come on a connection that nothing was asked of.
    func hasUnread(_ ends: Ends) -> Bool {
        // The number may be another file's by now; what has no such port is not looked at.
        guard let descriptor = descriptors[ends], Self.localPort(of: descriptor) == ends.localPort else { return false }
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
    }

    private static func localPort(of descriptor: Int32) -> UInt16? {
        var storage = sockaddr_storage()
        return withUnsafeMutableBytes(of: &storage) { bytes in
            var length = socklen_t(bytes.count)
            // The buffer of a local variable always has an address.
            let address = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            guard getsockname(descriptor, address, &length) == 0 else { return nil }
            return SocketAddress(UnsafeRawPointer(address), length: Int(length))?.port
        }
    }
}
