/// Easy handles between two transfers: making one anew costs more than a small file.
///
/// Connections and names are not kept here; they belong to the multi handle.
struct EasyHandlePool {
    private var idle: [EasyHandle] = []
    private let capacity = 256

    mutating func take() throws(CurlError) -> EasyHandle {
        if let handle = idle.popLast() { return handle }
        return try EasyHandle()
    }

    mutating func giveBack(_ handle: EasyHandle) {
        handle.reset()
        if idle.count < capacity { idle.append(handle) }
    }

    mutating func removeAll() {
        idle = []
    }
}
