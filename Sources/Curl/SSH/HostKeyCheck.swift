import CLibcurl
import Glibc

/// Checks the key of an SSH server. libcurl reads the lines that apply from a file in memory, and asks the callback
/// for the key that the server shows.
///
/// A ``EasyHandle`` keeps it until its transfer has ended.
final class HostKeyCheck {
    /// Why a server is not trusted.
    enum Refusal: String {
        case noFile = "The setting known_hosts names no file that can be read."
        case unknown = "The server's key is not in the file known_hosts."
        case revoked = "The server's key is revoked in the file known_hosts."
        case onlyRSA =
            "The file known_hosts has only an RSA key of the server, which was refused. Add its ed25519 or ECDSA key."
    }

    private let hosts: KnownHosts
    private let descriptor: Int32
    /// Whether the server has shown a key.
    private(set) var hasSeenKey = false
    private(set) var refusal: Refusal?

    /// - Throws: ``CurlError/Code/hostKeyRejected`` if the file cannot be read, or has no key of the server.
    init(file: String, host: String, port: UInt16) throws(CurlError) {
        guard let text = Self.read(file) else { throw Self.error(.noFile) }
        hosts = KnownHosts(text, host: host, port: port)
        guard !hosts.trusted.isEmpty else { throw Self.error(.unknown) }
        descriptor = shim_memory_file("known_hosts")
        let lines = Array(hosts.lines.utf8)
        guard descriptor >= 0, write(descriptor, lines, lines.count) == lines.count else { throw Self.error(.noFile) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// The path of the lines for libssh2.
    var path: String { "/proc/self/fd/\(descriptor)" }

    /// The error for a connection that failed before a request could be sent; nil if the key is not the cause.
    var failure: CurlError? {
        if let refusal { return Self.error(refusal) }
        return !hasSeenKey && hosts.hasOnlyRSA ? Self.error(.onlyRSA) : nil
    }

    static func error(_ refusal: Refusal) -> CurlError { CurlError(.hostKeyRejected, message: refusal.rawValue) }

    /// - Returns: Whether the key is trusted.
    fileprivate func accepts(_ key: [UInt8], isListed: Bool) -> Bool {
        hasSeenKey = true
        guard !hosts.revoked.contains(key) else {
            refusal = .revoked
            return false
        }
        guard isListed, hosts.trusted.contains(where: { $0.bytes == key }) else {
            refusal = .unknown
            return false
        }
        return true
    }

    private static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count < 16 << 20 {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer.prefix(count)
        }
        return nil
    }
}

extension HostKeyCheck {
    /// Registers the check with a handle.
    func install(on handle: EasyHandle) throws(CurlError) {
        try handle.set(.knownHostsFile, path)
        let context = Unmanaged.passUnretained(self).toOpaque()
        try handle.check(shim_easy_setopt_pointer(handle.raw, CURLOPT_SSH_KEYDATA, context))
        try handle.check(shim_easy_setopt_ssh_key(handle.raw, hostKeyArrived))
    }
}

/// `CURLOPT_SSH_KEYFUNCTION`. The key is raw if it has a length, and base64 otherwise, which libssh2's backend does not
/// use.
private func hostKeyArrived(
    _ easy: UnsafeMutableRawPointer?,
    _ known: UnsafePointer<curl_khkey>?,
    _ found: UnsafePointer<curl_khkey>?,
    _ match: curl_khmatch,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context, let found = found?.pointee, found.len > 0, let start = found.key else {
        return Int32(CURLKHSTAT_REJECT.rawValue)
    }
    let check = Unmanaged<HostKeyCheck>.fromOpaque(context).takeUnretainedValue()
    let key = Array(UnsafeRawBufferPointer(start: start, count: found.len))
    let isTrusted = check.accepts(key, isListed: match == CURLKHMATCH_OK)
    return Int32((isTrusted ? CURLKHSTAT_FINE : CURLKHSTAT_REJECT).rawValue)
}
