import CLinux
import Glibc

extension Directory {
    /// The names in this folder in no particular order, without `.` and `..`.
    ///
    /// A name that is not UTF-8 is omitted, because no string could open it. A name that is added or removed during the
    /// call may or may not be listed.
    public func entries() throws(SystemError) -> [String] {
        // Opens a new descriptor, because the position in the listing belongs to the descriptor and calls may overlap.
        let listing = try openBeneath(".", flags: O_RDONLY | O_DIRECTORY)
        var buffer = [UInt8](repeating: 0, count: 32_768)
        var names: [String] = []
        while true {
            let count = try listing.use("getdents64") { number in
                buffer.withUnsafeMutableBytes { bytes in
                    // An array that is not empty has a base address.
                    shim_getdents64(number, bytes.baseAddress!, bytes.count)
                }
            }
            guard count > 0 else { return names }
            Self.appendNames(in: buffer[..<count], to: &names)
        }
    }

    /// Parses the records of `getdents64(2)`: inode (8 bytes), offset (8), record length (2), type (1), name, NUL.
    private static func appendNames(in records: ArraySlice<UInt8>, to names: inout [String]) {
        var rest = records
        while !rest.isEmpty {
            let start = rest.startIndex
            let length = Int(rest[start + 16]) | Int(rest[start + 17]) << 8
            let name = rest[(start + 19)..<(start + length)].prefix { $0 != 0 }
            rest = rest[(start + length)...]
            guard let name = String(validating: name, as: UTF8.self), name != ".", name != ".." else { continue }
            names.append(name)
        }
    }
}

extension Directory {
    /// Free space on the folder's file system in bytes, without the blocks reserved for the superuser (`statfs(2)`);
    /// `Int64.max` if the file system does not report its size.
    public func freeBytes() throws(SystemError) -> Int64 {
        guard try fileSystemBytes() != .max else { return .max }
        return try bytes { $0.f_bavail }
    }

    /// The size of the folder's file system in bytes; `Int64.max` if the file system does not report it.
    public func fileSystemBytes() throws(SystemError) -> Int64 {
        let size = try bytes { $0.f_blocks }
        return size == 0 ? .max : size
    }

    private func bytes(of blocks: (statfs) -> some BinaryInteger) throws(SystemError) -> Int64 {
        var status = statfs()
        try descriptor.use("fstatfs") { fstatfs($0, &status) }
        // statfs(2): block counts are in units of f_frsize; kernels that do not fill it in leave 0.
        let unit = Int64(status.f_frsize == 0 ? status.f_bsize : status.f_frsize)
        return Int64(clamping: blocks(status)).multipliedClamping(by: unit)
    }
}

extension Int64 {
    /// The product, limited to `Int64.max`: network file systems without a size report counts near the limit of the
    /// type.
    fileprivate func multipliedClamping(by factor: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }
}
