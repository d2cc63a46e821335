public import Testing

/// Runs a test ahead of all others that are waiting for a thread.
///
/// A test that has started a process gets its thread back only after every other test has had its turn. Until then the
/// process that ended is not waited for, and Swift Testing looks for it in a loop without end, on one of the processors.
public struct AheadOfOthers: TestTrait, SuiteTrait, TestScoping {
  /// Runs the test in a task of a higher priority, whose threads the others don't use.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withoutActuallyEscaping(function) { function in
      try await Task(priority: .high) { try await function() }.value
    }
  }
}

extension Trait where Self == AheadOfOthers {
  /// For tests that run parts of them in processes of their own.
  public static var aheadOfOthers: Self { Self() }
}
