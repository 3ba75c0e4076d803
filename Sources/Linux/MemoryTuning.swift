import CLinux

/// How the C library's allocator keeps memory.
public enum MemoryTuning {
    /// Suits a service whose threads allocate and free much in bursts: freed memory is kept for the next burst up
    /// to a bound, and few arenas hold it.
    ///
    /// Without this, each transaction of the database gives its pages back to the kernel and the next one faults
    /// them in anew, zeroed (mallopt(3), `M_TRIM_THRESHOLD`, `M_TOP_PAD`, `M_ARENA_MAX`).
    public static func apply() {
        // A refused value leaves the default in force, which is merely slower.
        _ = mallopt(M_TRIM_THRESHOLD, 8 << 20)
        _ = mallopt(M_TOP_PAD, 1 << 20)
        _ = mallopt(M_ARENA_MAX, 4)
    }
}
