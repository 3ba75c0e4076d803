import Glibc

/// The variables that the process was started with.
public enum ProcessEnvironment {
    /// Removes variables, so that no library finds them. To be called before there are other threads: setenv(3) and its
    /// kin are not safe beside getenv(3).
    public static func remove(_ names: [String]) {
        for name in names { unsetenv(name) }
    }
}
