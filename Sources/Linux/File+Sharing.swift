import Glibc

extension File {
    /// Another descriptor of the same open file, for a library that closes what it is given. It is the caller's.
    ///
    /// Both share one position, so neither is to be read without an offset.
    public func duplicateDescriptor() throws(SystemError) -> Int32 {
        try descriptor.use("fcntl") { fcntl($0, F_DUPFD_CLOEXEC, 0) }
    }
}
