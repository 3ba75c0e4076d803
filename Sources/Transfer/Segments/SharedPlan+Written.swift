extension SharedPlan {
    /// The written bytes of the file.
    struct Written {
        let bytes: Int64
        /// The end of the written bytes that follow byte 0 without a gap.
        let contiguousEnd: Int64
        /// The number of connections that receive a share.
        let connections: Int
    }
}
