import CLinux
import Glibc

extension Directory {
    /// The room that is left, and the kind of file system.
    public func fileSystem() throws(SystemError) -> FileSystemInformation {
        var status = statfs()
        try descriptor.use("fstatfs") { fstatfs($0, &status) }
        // statfs(2): block counts are in units of f_frsize; kernels that do not fill it in leave 0.
        let unit = Int64(status.f_frsize == 0 ? status.f_bsize : status.f_frsize)
        return FileSystemInformation(
            freeBytes: Int64(clamping: status.f_bavail).multipliedClamping(by: unit),
            totalBytes: Int64(clamping: status.f_blocks).multipliedClamping(by: unit),
            freeInodes: status.f_files == 0 ? nil : Int64(clamping: status.f_ffree),
            magic: UInt32(truncatingIfNeeded: status.f_type)
        )
    }
}

extension Int64 {
    /// Network file systems without a size report counts near the limits of the type.
    fileprivate func multipliedClamping(by factor: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }
}
