import Bytes
import EncryptedFile
import Expectations
import Glibc
import Keychain
import KeychainChoice
import TestSupport
import Testing

@Suite("settings from the environment") struct EnvironmentTests {
  private static let location = VaultLocation(vaultFolder: "/v", stateFolder: "/s")

  private static func environment(_ variables: [String: String]) -> KeychainEnvironment {
    KeychainEnvironment { variables[$0] }
  }

  @Test("a home folder that isn't there keeps nobody from a keychain whose socket is named")
  func forwardedWithoutHome() throws {
    let location = try VaultLocation { $0 == "HOME" ? "/nonexistent/alice" : nil }
    #expect(throws: KeychainError.missing(path: "/nonexistent/alice")) {
      try KeychainChoice.made(named: nil, at: location, Self.environment([:]))
    }
    for name in ["LLAVERO_FORWARD", "SSH_AUTH_SOCK"] {
      let forwarded = Self.environment([name: "/run/llavero.sock"])
      try expect(KeychainChoice.made(named: nil, at: location, forwarded), is: nil)
    }
  }

  @Test("every kind of keychain is known by its name")
  func kinds() {
    expect(KeychainKind.allCases.allSatisfy { KeychainKind(rawValue: $0.rawValue) == $0 })
    expect(KeychainKind(rawValue: "files"), is: nil)
  }

  @Test("a time is from a second to 30 days, with a unit")
  func durations() throws {
    let good = ["1s": 1, "90s": 90, "15m": 900, "8h": 28_800, "30d": 2_592_000, "2592000s": 2_592_000]
    for (text, seconds) in good { try expect(DurationText.seconds(text, of: "X"), is: seconds) }
    for text in [
      "", "s", "0s", "1", "31d", "2592001s", "-1s", "+1s", "1.5h", " 1s", "1s ", "1S", "1ms", "\u{661}s",
      "99999999999999999999s", "9223372036854775807d",
    ] {
      #expect(throws: KeychainError.choice(.unusableSetting(name: "X", .noDuration)), "\(text)") {
        try DurationText.seconds(text, of: "X")
      }
    }
  }

  @Test("milliseconds are given in seconds")
  func milliseconds() throws {
    let good: [String: Int?] = ["": nil, "1": 1000, "0.001": 1, "1.5": 1500, "86400": 86_400_000]
    for (text, number) in good { try expect(Self.environment(["X": text]).milliseconds("X"), is: number) }
    try expect(Self.environment([:]).milliseconds("X"), is: nil)
    for text in ["0", "0.0009", "86401", "-1", "x", "nan", "inf", "1s"] {
      #expect(throws: KeychainError.choice(.unusableSetting(name: "X", .noSeconds)), "\(text)") {
        try Self.environment(["X": text]).milliseconds("X")
      }
    }
  }

  @Test("the unlock cache takes its mode and its limits from it, unless the caller has some")
  func unlockCache() throws {
    let environment = Self.environment([
      "LLAVERO_UNLOCK_CACHE": "none", "LLAVERO_UNLOCK_IDLE": "5m", "LLAVERO_UNLOCK_FOR": "2h",
    ])
    let cache = try environment.unlockCache(at: Self.location, program: nil)
    expect(cache.mode == .none && cache.limits == UnlockLimits(idle: 300, total: 7200))
    let given = try environment.unlockCache(at: Self.location, idle: 60, total: 120, program: nil)
    expect(given.limits, is: UnlockLimits(idle: 60, total: 120))
    let empty = ["LLAVERO_UNLOCK_CACHE": "", "LLAVERO_UNLOCK_IDLE": "", "LLAVERO_UNLOCK_FOR": ""]
    for variables in [[:], empty] {
      let standard = try Self.environment(variables).unlockCache(at: Self.location, program: nil)
      expect(standard.mode == .agent && standard.limits == UnlockLimits())
    }
    for (name, fault) in [
      ("LLAVERO_UNLOCK_CACHE", .noUnlockCacheMode), ("LLAVERO_UNLOCK_IDLE", .noDuration),
      ("LLAVERO_UNLOCK_FOR", .noDuration),
    ] as [(String, KeychainChoiceFault.SettingFault)] {
      #expect(throws: KeychainError.choice(.unusableSetting(name: name, fault))) {
        try Self.environment([name: "x"]).unlockCache(at: Self.location, program: nil)
      }
    }
  }

  @Test("an identity that is named is tried in place of the ssh key, and programs are nobody's")
  func openers() {
    let openers = Self.environment(["HOME": "/home/alice"]).openers
    expect(openers.otherIdentities == ["/home/alice/.ssh/id_ed25519"] && openers.run == nil)
    let named = Self.environment(["HOME": "/home/alice", "LLAVERO_IDENTITY": "/key"]).openers
    expect(named.otherIdentities, is: ["/key"])
    expect(Self.environment(["HOME": "relative"]).openers.otherIdentities, is: [])
  }

  @Test("how the Secret Service is used")
  func secretService() throws {
    let settings = try Self.environment([
      "LLAVERO_COLLECTION": "work", "LLAVERO_SECRET_SERVICE_SESSION": "plain", "LLAVERO_PROBE_TIMEOUT": "3",
      "LLAVERO_CALL_TIMEOUT": "4", "LLAVERO_LOCK_TIMEOUT": "5",
    ]).secretService(at: Self.location, mayPrompt: true)
    expect(settings.collection == "work" && !settings.isEncrypted && settings.mayPrompt)
    expect(settings.probeTimeout == 3000 && settings.callTimeout == 4000 && settings.patience == 5)
    expect(settings.lockFolder == "/s" && settings.busAddress == nil)
    let never = Self.environment(["LLAVERO_PROMPT": "never"])
    expect(never.forbidsPrompts)
    try expect(!never.secretService(at: Self.location, mayPrompt: true).mayPrompt)
    expect(!Self.environment(["LLAVERO_PROMPT": ""]).forbidsPrompts)
    let other = Self.environment(["LLAVERO_PROMPT": "no"])
    expect(other.forbidsPrompts)
    #expect(throws: KeychainError.choice(.unusableSetting(name: "LLAVERO_PROMPT", .noPromptWord))) {
      try other.secretService(at: Self.location, mayPrompt: true)
    }
    #expect(throws: KeychainError.choice(.unknownSession)) {
      try Self.environment([:]).secretService(at: Self.location, session: "x", mayPrompt: true)
    }
  }

  // In a process of its own, because other tests read the environment meanwhile.
  @Test("what is captured stays, and holds nothing that is of no interest", .aheadOfOthers)
  func captured() async {
    await #expect(processExitsWith: .success) {
      setenv("LLAVERO_TEST_CAPTURED", "before=1", 1)
      setenv("TOKEN_OF_SOMETHING", "s3cret", 1)
      let captured = KeychainEnvironment.captured()
      unsetenv("LLAVERO_TEST_CAPTURED")
      expect(captured.value("LLAVERO_TEST_CAPTURED"), is: "before=1")
      expect(captured.value("TOKEN_OF_SOMETHING"), is: nil)
    }
  }
}

@Suite("the choice of a keychain") struct ChoiceTests {
  private let folder = TemporaryFolder()
  private var location: VaultLocation {
    VaultLocation(vaultFolder: folder["data/llavero"], stateFolder: folder["state/llavero"])
  }

  private func choice(
    named: String? = nil, _ variables: [String: String] = [:]
  ) throws(KeychainError) -> KeychainChoice? {
    try KeychainChoice.made(named: named, at: location, KeychainEnvironment { variables[$0] })
  }

  @Test("an option comes before the environment, then what is remembered, then a vault that is there")
  func order() throws {
    try expect(choice(), is: nil)
    try expect(choice(["LLAVERO_KEYCHAIN": ""]), is: nil)
    try EncryptedFileKeychain(at: location).create(.identityFile)
    try expect(choice()?.reason, is: .vaultIsThere)
    try expect(choice()?.isToBeRemembered, is: true)
    _ = try RememberedKeychain.write(
      .secretService, in: location.stateFolder, at: Timestamp(milliseconds: 1000))
    let remembered = try #require(try choice())
    expect(remembered.name, is: "secret-service")
    expect(remembered.reason, is: .remembered(Timestamp(milliseconds: 1000)))
    expect(!remembered.isToBeRemembered)
    let variables = ["LLAVERO_KEYCHAIN": "file"]
    try expect(choice(variables)?.kind, is: .file)
    try expect(choice(variables)?.reason, is: .environment)
    try expect(choice(named: "secret-service", variables)?.kind, is: .secretService)
    try expect(choice(named: "secret-service", variables)?.reason, is: .option)
  }

  @Test("with the encrypted file its path is remembered, where there is one and it can be written on a line")
  func path() throws {
    let (state, now) = (location.stateFolder, Timestamp(milliseconds: 1000))
    func remembered(_ vault: String?) throws -> String? {
      _ = try RememberedKeychain.write(.file, vault: vault, in: state, at: now)
      try expect(RememberedKeychain.read(in: state)?.date, is: now)
      return RememberedKeychain.vault(in: state)
    }
    for path in ["/data/llavero/vault.age", "/my data/ä/ llavero/vault.age", location.vaultFile] {
      try expect(remembered(path), is: path)
    }
    for path in [nil, "/a\nb/vault.age", "/" + String(repeating: "l", count: 1000)] {
      try expect(remembered(path), is: nil)
    }
    _ = try RememberedKeychain.write(.secretService, vault: "/v", in: state)
    expect(RememberedKeychain.vault(in: state), is: nil)
    folder.write(Array("file 1970-01-01T00:00:01.000Z".utf8), to: "state/llavero/keychain")
    try expect(
      RememberedKeychain.read(in: state)?.name == "file" && RememberedKeychain.vault(in: state) == nil)
  }

  @Test("a first store chooses nothing where somebody has chosen meanwhile")
  func chosenMeanwhile() throws {
    let file = EncryptedFileKeychain(at: location)
    try file.create(.identityFile)
    let open = OpenKeychain(
      choice: KeychainChoice(kind: .file, reason: .vaultIsThere), location: location, own: file)
    let work = ListedKeychain("work", .file, at: "/work")
    _ = try KeychainList.change(in: location.stateFolder) { $0.putFirst([work]) }
    _ = try RememberedKeychain.write(work, in: location.stateFolder)
    _ = try open.writeChoice()
    try expect(RememberedKeychain.read(in: location.stateFolder)?.name, is: "work")
    unlink(location.stateFolder + "/keychain")
    _ = try open.writeChoice()
    expect(RememberedKeychain.vault(in: location.stateFolder), is: location.vaultFile)
  }

  @Test("where the encrypted file is made is noted if that is chosen, and changes no other choice")
  func madeAfterChoice() throws {
    let state = location.stateFolder
    try expect(RememberedKeychain.note(vault: "/v", in: state)?.name, is: nil)
    _ = try RememberedKeychain.write(.file, in: state)
    try expect(RememberedKeychain.note(vault: "/v", in: state)?.name, is: "file")
    expect(RememberedKeychain.vault(in: state), is: "/v")
    let work = ListedKeychain("work", .file, at: "/work")
    _ = try KeychainList.change(in: state) { $0.putFirst([work]) }
    _ = try RememberedKeychain.write(work, in: state)
    try expect(RememberedKeychain.note(vault: "/v", in: state)?.name, is: "work")
    try expect(RememberedKeychain.read(in: state)?.name, is: "work")
  }

  @Test("a keychain is chosen only as it is in the list")
  func chosenFromTheList() throws {
    let state = location.stateFolder
    let work = ListedKeychain("work", .git, at: "/one", [ListedKeychain.Option("branch", "b")])
    func isChosen(_ keychain: ListedKeychain) -> Bool {
      (try? RememberedKeychain.write(keychain, in: state)) != nil
    }
    expect(!isChosen(work))
    try expect(RememberedKeychain.read(in: state) == nil)
    _ = try KeychainList.change(in: state) { $0.putFirst([work]) }
    expect(isChosen(work))
    // What members see as the label may change, and it is the same keychain.
    let label = ListedKeychain.Option(ListedKeychain.labelOption, "l")
    expect(isChosen(ListedKeychain("work", .git, at: "/one", work.options + [label])))
    for other in [
      ListedKeychain("work", .git, at: "/two", work.options), ListedKeychain("work", .git, at: "/one"),
      ListedKeychain("work", .file, at: "/one"),
    ] {
      #expect(throws: KeychainError.self) { try other.checkName(in: state) }
      expect(!isChosen(other))
    }
    _ = try KeychainList.change(in: state) { $0.remove("work") }
    #expect(throws: KeychainError.choice(.unlistedChoice("work"))) { try choice() }
    try expect(choice(named: "file")?.kind, is: .file)
  }

  @Test("a trace of a vault is as good as a vault: no other keychain is looked for")
  func missingVault() throws {
    try EncryptedFileKeychain(at: location).withCheapPassphrases.create(.passphrase(Secret("p")))
    expect(rename(folder["data"], folder["away"]), is: 0)
    try expect(choice()?.reason, is: .vaultIsThere)
  }

  @Test("an unknown kind is none", arguments: ["File", "secretservice", "kwallet", " file"])
  func unknown(name: String) {
    #expect(throws: KeychainError.noKeychain(name)) { try choice(named: name) }
    #expect(throws: KeychainError.noKeychain(name)) { try choice(["LLAVERO_KEYCHAIN": name]) }
  }

  @Test(
    "what is remembered and can't be understood is an error, and no other keychain",
    arguments: ["", "\n", "/wallet 2026-01-01T00:00:00Z\n", "FILE"])
  func unreadable(text: String) {
    folder.makeFolder("state/llavero")
    folder.write(Array(text.utf8), to: "state/llavero/keychain")
    chmod(folder["state/llavero/keychain"], 0o600)
    #expect(throws: KeychainError.choice(.unreadableChoice(path: folder["state/llavero/keychain"]))) {
      try choice()
    }
    chmod(folder["state/llavero/keychain"], 0o666)
    #expect(
      throws: KeychainError.unsafeFile(path: folder["state/llavero/keychain"], .mode(0o666))
    ) { try choice() }
  }
}
