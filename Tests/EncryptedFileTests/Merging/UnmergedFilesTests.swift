import Testing

@Suite("Files that are not merged")
struct UnmergedFilesTests {
  static let files = [
    Scenario(
      "a damaged copy is named, and what is read is known to be incomplete",
      """
      1 writes copy 2/vault<10; 1' has a b; 1' unmerged = kind: copy copy problem: damaged copy …
      1' leftOut = copy error: damaged copy …; 1 removes copy; 1' unmerged = ; 1' leftOut = nil
      """),
    // What matches and isn't meant says as little as what isn't found.
    Scenario(
      "what isn't found may be in a copy that can't be merged, and can be added all the same",
      """
      1 writes copy 2/vault<10; 1' finds c ! copyLeftOut copy damaged copy …; 1' refuses c ! copyLeftOut copy damaged …
      1' passedOver = copyLeftOut copy damaged copy …; 1' refuses a ! copyLeftOut copy damaged copy …; 1' finds a = 1
      1' lets c = true; 1' adds c; 1' finds c = 1; 1 removes copy; 1' finds d = 0; 1' passedOver = nil
      """),
    Scenario(
      "a good copy is named until it is merged",
      """
      1 writes copy 2/vault; 1' unmerged = kind: copy copy problem: nil; 1' has a b c; 1' unmerged = ; 1' leftOut = nil
      """),
    Scenario(
      "a good copy that can't be merged just now is named with the reason",
      """
      1 writes copy 2/vault; 1 locks; 1' has a b; 1 unlocks; 1' leftOut = copy error: busy lock seconds: 1
      1' unmerged = kind: copy copy problem: busy lock seconds: 1
      """),
    Scenario(
      "a backup of what the vault comes from lacks nothing, and other files are no states of it",
      """
      1 writes backup.age 1/vault; 3 adds c; 1 writes other.age 3/vault; 1 writes notes [110]; 1 makes folder.age
      1 pipes pipe.age; 1 points link.age nothing; 1 unmerged = ; 1 adds b2; 1 unmerged = 
      """),
    Scenario(
      "a file of another vault is named, and nothing of this one is missing",
      """
      3 adds c; 1 writes copy 3/vault; 1' has a b; 1' unmerged = kind: copy copy problem: wrongIdentity copy
      1' leftOut = nil
      """),
  ]

  @Test("of these", arguments: files)
  func playFiles(scenario: Scenario) throws { try scenario.run(after: "1 adds a b; 2 follows; 2 adds c") }

  @Test(
    "another state under any other name is named until a person has it merged, whoever may read it",
    arguments: [
      "vault (1).age", "vault-desktop.age", "vault.age.conflict1", "vault.age (conflict)", "backup",
    ])
  func otherName(name: String) throws {
    try Scenario(
      name,
      """
      1 adds a b; 2 follows; 2 adds c; 1 writes NAME 2/vault; {1 opens NAME; 1 mode NAME = 644|1 mode NAME = 600}
      1' has a b; 1' unmerged = kind: other NAME problem: nil; 1' leftOut = nil
      1' merges NAME = count: 3 added: 1 …; 1' unmerged = 
      """
    ).run(files: ["NAME": name])
  }
}
