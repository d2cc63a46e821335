import Glibc

extension GitHelperChain.Helper {
  /// The program of the helper if git doesn't find it; `nil` if it does, or a shell looks for it.
  ///
  /// - Parameter folder: git's own, which it searches before the PATH.
  func missingProgram(besides folder: String?) -> String? {
    guard let first = value.split(separator: " ").first.map(String.init), !first.hasPrefix("!") else {
      return nil
    }
    if first.hasPrefix("/") {
      // A shell takes it apart. What is wrong with llavero's own paths is said elsewhere.
      let isPlain = !first.contains { "\"'\\$`~".contains($0) }
      return isPlain && !isLlavero && access(first, X_OK) != 0 ? first : nil
    }
    let program = "git-credential-\(first)"
    if let folder, access("\(folder)/\(program)", X_OK) == 0 { return nil }
    return ProgramLinks.found(program) == nil ? program : nil
  }
}
