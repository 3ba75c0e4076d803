import Linux

/// The folder that holds everything the service keeps, locked for this process.
struct DataFolder {
    let path: String
    let lock: FileLock
    let downloads: Directory
    let parts: Directory
    private let root: Directory

    /// Makes what is missing of the folder, and takes its lock.
    init(path: String) throws {
        self.path = path
        root = try Self.makeRoot(path)
        lock = try FileLock(path: "\(path)/lock")
        downloads = try root.openDirectory(relative: "downloads", creating: true, mode: 0o777)
        parts = try root.openDirectory(relative: "parts", creating: true, mode: 0o700)
    }

    var databasePath: String { "\(path)/cormorant.db" }

    /// The key of the credentials: the operator's own, or one that is made at the first start.
    func key(_ file: String?) throws -> [UInt8] {
        let text = try file.map { try SecretFile.read(path: $0).text }
            ?? secret(named: "key") { try RandomBytes.hexadecimal(count: 32) }
        guard let key = Self.bytes(hex: text), key.count == 32 else {
            throw ConfigurationError("the key file does not hold 64 hexadecimal digits")
        }
        return key
    }

    /// A secret of this folder, made at the first start and readable by its owner alone.
    func secret(named name: String, make: () throws -> String) throws -> String {
        if try root.exists(name) { return try SecretFile.read(named: name, in: root).text }
        let text = try make()
        try SecretFile.create(text, named: name, in: root)
        return text
    }

    private static func makeRoot(_ path: String) throws(SystemError) -> Directory {
        do {
            return try Directory(path: path)
        } catch where error.isMissing {
            let isAbsolute = path.hasPrefix("/")
            let relative = isAbsolute ? String(path.drop { $0 == "/" }) : path
            return try Directory(path: isAbsolute ? "/" : ".").openDirectory(relative: relative, creating: true, mode: 0o700)
        }
    }

    private static func bytes(hex: String) -> [UInt8]? {
        let digits = Array(hex.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        let pairs = stride(from: 0, to: digits.count, by: 2).map { String(decoding: digits[$0..<$0 + 2], as: UTF8.self) }
        let bytes = pairs.compactMap { UInt8($0, radix: 16) }
        return bytes.count == pairs.count ? bytes : nil
    }
}
