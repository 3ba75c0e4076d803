import Glibc

/// What the system's resolver knows of a name.
public enum HostName {
    /// Whether the resolver says that there is no such name, rather than that it cannot tell now (`getaddrinfo(3)`:
    /// `EAI_NONAME`). It may take as long as the resolver waits for its servers.
    public static func isUnknown(_ name: String) -> Bool {
        var addresses: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(name, nil, nil, &addresses)
        if let addresses = unsafe addresses { unsafe freeaddrinfo(addresses) }
        return code == EAI_NONAME
    }
}
