import CredentialProtocols
import Keychain

extension GitSettings.Entry {
  /// The short name of the helper that it sets, if it does.
  var helperName: String? {
    guard name.lowercased().hasSuffix(".helper"), !value.isEmpty else { return nil }
    return GitHelperChain.Helper(key: name, value: value, origin: origin, scope: scope).name
  }
}

/// The helpers that git asks in turn for a URL, and those that an empty entry resets (git-config(1),
/// `credential.helper`).
struct GitHelperChain {
  struct Helper {
    /// `credential.helper`, or one with a URL.
    let key: String
    let value: String
    let origin: String
    let scope: String

    /// The helper's short name: `store` for `store --file x` and for `/usr/lib/git-core/git-credential-store`.
    var name: String {
      let words = (value.hasPrefix("!") ? value.dropFirst() : value[...]).split(separator: " ")
      guard let first = words.first else { return "" }
      let name = first.split(separator: "/").last.map(String.init) ?? ""
      return name.hasPrefix("git-credential-") ? String(name.dropFirst(15)) : name
    }

    /// Whether it is llavero under one of its names.
    var isLlavero: Bool { name == "llavero" }

    /// The place of the setting, for people.
    var place: String {
      let file = origin.hasPrefix("file:") ? String(origin.dropFirst(5)) : origin
      return scope.isEmpty || scope == "command" ? file : "\(scope), \(file)"
    }

    /// The command that removes it from the configuration. Anybody's repository may have chosen key and value.
    var removal: Hint {
      "\(wordsOf: ["git", "config"] + scopeOption + ["--fixed-value", "--unset-all", key, value])"
    }

    fileprivate var scopeOption: [String] {
      ["system", "global", "local", "worktree"].contains(scope) ? ["--\(scope)"] : []
    }
  }

  /// The chain's URL; `nil` for all URLs without a chain of their own.
  let url: String?
  private(set) var asked: [Helper] = []
  /// llavero, if it was set and then reset, and the entry that reset it.
  private(set) var forgotten: (helper: Helper, by: Helper)?

  /// The chains in git's configuration: first the one for all URLs, then one for each URL that it names.
  static func all(in entries: [GitSettings.Entry]) -> [GitHelperChain] {
    var urls: [String?] = [nil]
    for entry in entries {
      if let url = url(of: entry.name), !urls.contains(url) { urls.append(url) }
    }
    return urls.map { url in
      GitHelperChain(
        url: url,
        entries.filter { $0.name == "credential.helper" || (url != nil && Self.url(of: $0.name) == url) })
    }
  }

  /// The helpers other than llavero that git asks, for people: `store`, `gh for https://github.com`.
  static func helpersBesideLlavero(in entries: [GitSettings.Entry]) -> [String] {
    all(in: entries).reduce(into: []) { names, chain in
      let own = chain.asked.filter { ($0.key == "credential.helper") == (chain.url == nil) }
      for helper in own where !helper.isLlavero {
        let name = helper.name + (chain.url.map { " for \($0)" } ?? "")
        if !names.contains(name) { names.append(name) }
      }
    }
  }

  /// Makes the chain from the entries for one place.
  ///
  /// - Parameter url: the place, for messages.
  init(url: String?, _ entries: [GitSettings.Entry]) {
    self.url = url
    for entry in entries where entry.key == "helper" {
      let helper = Helper(key: entry.name, value: entry.value, origin: entry.origin, scope: entry.scope)
      if !entry.value.isEmpty {
        asked.append(helper)
        if helper.isLlavero { forgotten = nil }
      } else {
        if let own = asked.last(where: \.isLlavero) { forgotten = (own, helper) }
        asked = []
      }
    }
  }

  /// The URL of `credential.URL.helper`.
  private static func url(of name: String) -> String? {
    let (prefix, suffix) = ("credential.", ".helper")
    guard name.hasPrefix(prefix), name.lowercased().hasSuffix(suffix),
      name.utf8.count > prefix.utf8.count + suffix.utf8.count
    else { return nil }
    return String(name.dropFirst(prefix.count).dropLast(suffix.count))
  }

  /// A sentence for people with the helpers asked here, in order; `nil` if llavero is asked first, or none is set.
  var otherwise: String? {
    if let first = asked.first, first.isLlavero { return nil }
    var sentence = url.map { "for \($0), " } ?? ""
    if asked.isEmpty {
      guard url != nil, let reset = forgotten?.by, reset.key != "credential.helper" else { return nil }
      return sentence + "git forgets llavero"
    }
    let values = asked.map { $0.isLlavero ? "llavero" : $0.value }
    sentence += "git asks " + values.joined(separator: ", then ")
    if !asked.contains(where: \.isLlavero) { sentence += ", and not llavero" }
    return sentence
  }

  /// The file with the setting that ``otherwise`` is about; `nil` if it is in none, but in the environment.
  var fileOfOther: String? {
    let others = asked.filter { !$0.isLlavero }
    let other = others.first { $0.key != "credential.helper" } ?? others.first ?? forgotten?.by
    guard let origin = other?.origin, origin.hasPrefix("file:") else { return nil }
    return String(origin.dropFirst(5))
  }

  /// The command that removes the helpers for a URL that come before llavero; `nil` if there are none, or they aren't
  /// this person's to change.
  var leaving: Hint? {
    if asked.isEmpty {
      guard url != nil, let reset = forgotten?.by, reset.key != "credential.helper" else { return nil }
      return Self.leaving(reset)
    }
    if asked[0].isLlavero { return nil }
    // Helpers for a single URL answer there, whatever is set for all.
    return asked.first { !$0.isLlavero && $0.key != "credential.helper" }.flatMap(Self.leaving)
  }

  private static func leaving(_ helper: Helper) -> Hint? {
    // Other people's settings are not for this person to change.
    if helper.scopeOption.contains("--system") { return nil }
    let command = ["git", "config"] + helper.scopeOption + ["--unset-all", helper.key]
    if helper.value.isEmpty { return "\(commandOf: command) leaves it to llavero" }
    return "\(commandOf: command) removes the set-up of \(prose: helper.name) there, and leaves it to llavero"
  }

  /// The files of git's own store.
  var storeFiles: [String] {
    asked.filter { $0.name == "store" }.compactMap { helper in
      let words = helper.value.split(separator: " ").map(String.init)
      for (index, word) in words.enumerated() {
        if word.hasPrefix("--file=") { return String(word.dropFirst(7)) }
        if word == "--file", index + 1 < words.count { return words[index + 1] }
      }
      return nil
    }
  }

  /// What to do so that git asks llavero here; `nil` if it does.
  var remedy: Hint? {
    if asked.contains(where: \.isLlavero) { return nil }
    guard let forgotten, forgotten.by.key != "credential.helper" else {
      return "have git ask it with \(command: "llavero", "setup", "git")"
    }
    let words = ["git", "config"] + forgotten.by.scopeOption + ["--unset-all", forgotten.by.key]
    guard let other = asked.first else { return "\(commandOf: words) leaves it to llavero" }
    return "\(commandOf: words) removes the set-up of \(prose: other.name) there, and leaves it to llavero"
  }

  /// The problems of the chain, each with the command to type next.
  func problems() -> [(problem: String, remedy: Hint?)] {
    var problems: [(String, Hint?)] = []
    guard let own = asked.firstIndex(where: \.isLlavero) else {
      if let forgotten {
        let isForURL = forgotten.by.key != "credential.helper"
        problems.append(
          (
            "git forgets llavero here, by the empty helper in \(forgotten.by.place)",
            isForURL
              ? "\(wordsOf: ["git", "config"] + forgotten.by.scopeOption + ["--unset-all", forgotten.by.key])"
              : "llavero setup git"
          ))
      } else if url == nil {
        problems.append(("git doesn't ask llavero", "llavero setup git"))
      }
      return problems + plainText()
    }
    // A helper for a single URL is meant to answer there.
    for helper in asked[..<own]
    where helper.name != "cache" && helper.name != "store" && helper.key == "credential.helper" {
      problems.append(
        ("\(helper.value) answers before llavero", "\(helper.removal), or put llavero before it"))
    }
    for helper in asked[own...] where helper.name == "cache" {
      problems.append(
        ("cache comes after llavero, so git never asks it", helper.removal))
    }
    if let cache = asked[..<own].first(where: { $0.name == "cache" }) {
      problems.append(
        (
          "cache answers before llavero, also what llavero has changed meanwhile; that helps only where unlocking "
            + "takes long", cache.removal
        ))
    }
    return problems + plainText()
  }

  private func plainText() -> [(String, Hint?)] {
    asked.filter { $0.name == "store" }.map { helper in
      (
        "store keeps every login in plain text"
          + (asked.contains(where: \.isLlavero) ? ", beside llavero" : ""), helper.removal
      )
    }
  }
}
