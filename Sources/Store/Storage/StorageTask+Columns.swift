import Core

extension StorageTask: RowValue {
    static let blank = StorageTask(
        download: DownloadID(first: Timestamp(milliseconds: 0)),
        root: .downloads,
        target: .part(generation: 0)
    )

    static let columnList = columnNames().columnList()
    /// The database numbers a new row.
    static let insertion = RowBatch.insertion(into: "storage_task", columnNames() + ["due_at"])

    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try row.column("download", &download)
        try row.column("root", &root)
        var (kind, generation) = (target.kind, target.generation)
        try row.column("kind", &kind)
        try row.column("generation", &generation)
        var file = target.file.map { TaskFile(file: $0) }
        try row.optional(&file)
        guard row.isReading else { return }
        target = .part(generation: generation ?? 0)
        if var file = file?.file {
            file.root = root
            target = .file(file)
        }
    }
}

extension StorageTask.Target {
    fileprivate var kind: String {
        switch self {
        case .part: "part"
        case .file: "file"
        }
    }

    fileprivate var generation: Int? {
        if case .part(let generation) = self { generation } else { nil }
    }

    fileprivate var file: PublishedFile? {
        if case .file(let file) = self { file } else { nil }
    }
}

/// The columns of a finished file to be removed.
private struct TaskFile: RowValue {
    static let blank = TaskFile(file: .blank)

    var file: PublishedFile

    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try row.column("path", &file.path)
        try row.content(of: &file, .fileToRemove)
    }
}
