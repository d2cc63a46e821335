import ArgumentParser

extension Option {
  /// An option that may be left out.
  ///
  /// - Parameters:
  ///   - help: its line in the help.
  ///   - value: the name of its value there.
  init<T: ExpressibleByArgument>(
    _ help: String, value: String, name: NameSpecification = .long, completion: CompletionKind? = nil
  ) where Value == T? {
    self.init(name: name, help: ArgumentHelp(help, valueName: value), completion: completion)
  }
}

extension Argument {
  /// An operand that may be left out.
  init<T: ExpressibleByArgument>(_ help: String, value: String, completion: CompletionKind? = nil)
  where Value == T? {
    self.init(help: ArgumentHelp(help, valueName: value), completion: completion)
  }

  init(_ help: String, value: String, completion: CompletionKind? = nil) where Value: ExpressibleByArgument {
    self.init(help: ArgumentHelp(help, valueName: value), completion: completion)
  }
}
