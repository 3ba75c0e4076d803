import CLinux
import Glibc

extension Directory {
    /// What this user may still fill of the folder's file system, in bytes; the reserve of the superuser is not in it
    /// (`statfs(2)`).
    public func freeBytes() throws(SystemError) -> Int64 {
        try bytes { $0.f_bavail }
    }

    /// The size of the folder's file system, in bytes; the largest number for one that does not tell it.
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
