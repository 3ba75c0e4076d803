import CLinux
import Glibc

extension Directory {
    /// The names in this folder in no order, without `.` and `..`.
    ///
    /// A name that is not UTF-8 is omitted, because no string could open it. Names that are added or removed meanwhile
    /// may or may not be there.
    public func entries() throws(SystemError) -> [String] {
        // A descriptor of its own: the place in the listing belongs to the descriptor, and callers may overlap.
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

    /// Reads the records of `getdents64(2)`: inode (8 bytes), offset (8), the record's length (2), kind (1), name, NUL.
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
    /// Free space for this user on the folder's file system, in bytes, without the superuser's reserve (`statfs(2)`).
    public func freeBytes() throws(SystemError) -> Int64 {
        try bytes { $0.f_bavail }
    }

    /// The size of the folder's file system, in bytes; the largest number if it is not stated.
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
    /// Network file systems without a size report counts near the limits of the type.
    fileprivate func multipliedClamping(by factor: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }
}
