public import Testing

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs. All tests run at the same time, so on a slow machine a good one may take many minutes.
    public static var hangLimit: Self { .timeLimit(.minutes(30)) }
}
