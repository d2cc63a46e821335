import Expectations
import Glibc
import Keychain
import TestSupport
import Testing

@testable import EncryptedFile

/// Two machines with one vault, each with its own copy of the vault's folder.
let twoMachines = "1 adds a b; 2 joins; later 10"

/// The second machine's file comes to the first, without a conflict copy.
@Suite("A write that a sync program replaces unseen")
struct ReplacedWriteTests {
  static let replaced = [
    Scenario(
      "is merged at the next look, whichever of both numbers is higher, and once",
      """
      {|1 sets a;|1 sets a*2;} 1 sets c; {|2 sets b;|2 sets b*2;} 2 sets d; 2 {to|into} 1
      1 has a b c d; told = created, merged copies: 1
      1 marks; 1 has a b c d; 1 same; 1 deletes c; 1 has a b d; 1 to 2; 2 has a b d; told count = 2
      """),
    Scenario(
      "is merged also where the sync program brings the other machine's last write with it",
      """
      1 sets c; 2 sets d; 1 replaces newest2 2/newest; 2 to 1; 1 has a b c d
      1 sets e; 1 lacks newest2
      """),
    Scenario(
      "is merged by the next use where the writer that took it in was killed before it had its place",
      """
      1 sets c; 2 sets d; 2 to 1; 1 saves vault theirs; 1 saves seen note; 1 sets e
      1 replaces vault theirs; 1 replaces seen note; 1 has a b c d e
      """),
    Scenario(
      "what follows an older state that was accepted is the newest, for keeping and for salvaging",
      """
      1 saves vault older; 1 sets c*10; 1 to 2; 2 has a b c; 1 replaces vault older; 1 accepts; 1 has a b
      1 sets d e f g; 1 number = 14; 1 numbers = 13 12 11 10 9; 1 to 2; 2 has a b d e f g
      {1 removes vault; 1 salvages; 1 has a b d e f g|1 overwrites [1]; 1 salvages; 1 has a b d e f}
      """),
    Scenario(
      "is not numbered by a file that anybody can put among the earlier states",
      """
      1 sets c; 1 number = 2
      1 writes generations/{9223372036854775807|9223372036854775806|1099511627776}-01234567.age [1]
      1 sets d; 1 number = 3; 1 replaces vault [1]; 1 salvages; 1 number = 4; 1 has a b c d
      """),
    Scenario(
      "is taken in by salvaging, where it is in the folder and not in the state that is put back",
      """
      1 sets c; 2 sets d; 1 writes newest2 2/newest; {1 removes vault|1 replaces vault [1]}
      1 salvages; 1 has a b c d
      """),
    // Its generation has no room for its own predecessor among those that it comes from.
    Scenario(
      "is merged where the other machine had missed more writes than are noted",
      "1 sets b*40; 2 merges 1/vault; 1 sets c; 2 to 1; 1 has a b c; told last = merged copies: 1"),
    Scenario(
      "is merged also where compacting had nothing to write",
      """
      1 sets c; 1 saves vault write; 1 compacts; 1 is vault write; 1 is newest write
      2 sets d; 2 into 1; 1 has a b c d
      """),
    Scenario(
      "is no way to bring an older state back unnoticed, whatever name it arrives under",
      """
      1 sets c; 1 saves vault fork; 2 sets d; 2 saves vault other; 1 writes copy other; 1 has a b c d; 1 sets a*3
      1 replaces vault other; 1 replaces newest fork; 1 count ! rolledBack vault generation: 2 seen: 6
      1 replaces former fork; 1 count ! rolledBack vault generation: 2 seen: 6
      """),
    Scenario(
      "comes back where nothing else is left of the vault",
      "1 removes vault seen; 1 count ! missing vault; 1 salvages; 1 has a b"),
    // The first write of a new vault is copied, too. Nothing is written if nothing was brought.
    Scenario(
      "comes back where damage was written into the vault",
      """
      1 is newest 1/vault; 1 marks; 1 touches; 1 same; 1 writes vault 1/vault^
      1 salvages = count: 2 recovered: 0 base: 1; 1 has a b; 1 sets c; 1 is newest 1/vault; 1 marks; 1 touches; 1 same
      1 writes vault 1/vault^; 1 salvages = count: 3 recovered: 0 base: 3; 1 has a b c
      """),
    Scenario(
      "needs no copy that a power failure has left empty",
      "1 sets c; 1 writes newest []; 1 sets d; 1 has a b c d; 1 lacks generations/unmerged-*; told = created"),
    // Operations that would discard it, or its key, are refused until it is merged.
    Scenario(
      "is kept and told where a person has accepted the older state that came into its place",
      """
      1 saves vault older; 1 sets c; 1 replaces vault older; 1 accepts; 1 sets d; 1 has a b d
      told last = setAside generations/unmerged-*; 1 sets e*8; 1 compacts ! unmerged generations/unmerged-*
      1 rotates ! unmerged generations/unmerged-*; 1 merges generations/unmerged-*; 1 has a b c d e
      1 compacts; 1 lacks generations/unmerged-*
      """),
    Scenario(
      "keeps the vault's key and the states where nobody noted it, and an older state came into its place",
      """
      1 sets a; 1 saves vault older; 1 saves seen note; 1 sets c; 1 writes seen note; 1 writes vault older
      1 rotates ! unmerged newest; 1 compacts ! unmerged newest; 1 merges newest; 1 rotates; 1 compacts; 1 has a b c
      """),
    Scenario(
      "is kept for a month from then on, however old it is, and until it is taken in",
      """
      1 sets c; 2 sets d*40; 1 ages vault 2678400; 2 to 1; 1 sets e*3; 1 merges generations/unmerged-*
      1 has a b c d e; 1 lacks generations/unmerged-*; 1 rotates
      """),
    Scenario(
      "is an error, and not less than was stored, where it can't be merged",
      "1 sets c; 2 sets d; 2 to 1; 1 locks; 1 count ! busy lock seconds: 1"),
    Scenario(
      "is put back also where others could read it",
      "1 sets c; 1 removes vault; 1 opens newest; 1 salvages surely; 1 has a b c"),
    Scenario(
      "is merged at once, and by the next change, where what came into its place is accepted",
      "1 sets c; 2 sets d e; 2 to 1; 1 accepts; {1 has a b c d e|1 sets f; 1 has a b c d e f}"),
    Scenario(
      "is merged also where others could read it",
      "1 sets c; 2 sets d e; 2 to 1; {|1 moves newest former;} 1 opens {newest|former}; 1 rotates; 1 has a b c d e"
    ),
    Scenario(
      "is kept and told where another key opens it, under whatever name",
      """
      1 sets c; 1 saves identity key; 1 saves newest write; {|1 moves newest former;} 2 rotates; 2 to 1
      1 writes identity 2/identity; 1 accepts; 1 sets d; told last = setAside generations/unmerged-*
      1 is generations/unmerged-* write; 1 writes identity 1/identity+key; 1 merges generations/unmerged-*
      1 has a b c d
      """),
    Scenario(
      "that is damaged is no earlier state like those that were taken in",
      """
      1 grows g*20; 1 to 2; 2 count; 1 sets c; 2 sets d*2; 2 to 1
      1 saves newest write; 1 replaces newest write^300000; 1 sets e*7; 1 is generations/unmerged-* write^300000
      """),
    // No generation can be kept if their folder is a file.
    Scenario(
      "is merged by whoever comes next, where accepting what came into its place has failed",
      """
      1 sets c; 2 sets d*2; 2 to 1; 1 removes generations; 1 writes generations []; 1 accepts ! …
      1 removes generations; 1 has a b c d
      """),
    Scenario(
      "is put back first where the vault is gone, under whatever name, and kept where an earlier state is",
      """
      1 sets c d; 1 saves newest write; 1 moves newest former; 1 removes vault
      {1 restores 2 surely; 1 has a b c; 1 sets e; 1 states write = 1|1 salvages surely; 1 has a b c d}
      """),
    Scenario(
      "of this machine under a former name goes once the vault comes from it",
      "1 sets c; 1 moves newest former; 1 sets d*40; 1 lacks former; 1 compacts"),
    Scenario(
      "is kept and told where so much came into its place that it can't be told what that comes from",
      """
      2 sets d*40; 1 sets c; 2 to 1; 1 has a b d; told last = undecided newest
      1 sets e; told last = setAside generations/unmerged-*; 1 sets e*8; 1 merges generations/unmerged-*
      1 has a b c d e
      """),
    Scenario(
      "is merged also where it has another name than this machine would give it now",
      """
      1 sets c; 2 sets d; 2 to 1; 1 moves newest former; 1 has a b c d; told last = merged copies: 1
      1 rotates; 1 has a b c d; 1 lacks former
      """),
    Scenario(
      "several are merged at once, each once, also where one comes from another",
      """
      1 sets c; 1 replaces .vault.age.newest-0000000000000000 1/newest
      1 sets d; 1 replaces .vault.age.newest-0000000000000001 1/newest
      1 sets e; 1 replaces .vault.age.newest-0000000000000002 1/newest
      2 sets f; 2 to 1; 1 has a b c d e f; 1 marks; 1 has a b c d e f; 1 same; 1 sets c; told count = 2
      1 rotates; 1 lists = generations lock newest vault
      """),
    Scenario(
      "keeps the vault's key from being changed, where it can't be told whether it was taken in, until it is",
      """
      2 sets d*40; 1 sets c; 2 to 1
      {1 rotates ! unmerged newest; 1 compacts ! unmerged newest; 1 merges newest
      |1 moves newest former; 1 rotates ! unmerged former; 1 compacts ! unmerged former; 1 merges former}
      1 rotates; 1 has a b c d
      """),
    Scenario(
      "a copy that can't be merged keeps the vault's key from being changed",
      """
      2 sets c; 1 writes @copy.age 2/vault; 1 points copy @copy.age; 1 rotates ! unmerged copy
      1 removes copy; 1 moves @copy.age copy; 1 has a b c
      """),
    Scenario(
      "what comes from it is taken as it is, whatever it has forgotten",
      """
      1 sets c c; 1 to 2; 2 sets c; 2 deletes b; 2 compacts; 2 to 1; 1 saves vault theirs; 1 has a c; 1 is vault theirs
      1 sets e; 1 has a c e; 1 retired c = ; told count = 1
      """),
    Scenario(
      "an earlier state that a person has put back and accepted stays",
      """
      1 saves vault earlier; 1 sets c; 1 deletes a; 1 replaces vault earlier
      1 count ! rolledBack vault generation: 1 seen: 3; 1 accepts; 1 sets d; 1 has a b d
      """),
    Scenario(
      "that may not be in what came is named until it is merged",
      """
      1 sets c; 2 sets d*45; 2 to 1; 1 has a b d
      1 unmerged = kind: lastWrite newest problem: nil; 1 unmerged = kind: lastWrite newest problem: nil
      1 sets e; 1 unmerged = kind: lastWrite generations/unmerged-* problem: nil; 1 merges generations/unmerged-*
      1 unmerged = ; 1 has a b c d e
      """),
    Scenario(
      "a restored state stays, where it was put into the place of a damaged vault, on either machine",
      """
      1 to 2; 2 sets c; 2 to 1; 1 sets d; 1 replaces vault [1]; 1 numbers = 2; 1 restores 2; 1 sets e; 1 has a b c e
      1 to 2; 2 sets f; 2 has a b c e f
      """),
    Scenario(
      "of one that was replaced by what is no vault, salvaging makes use; and restoring keeps it",
      """
      1 sets c; {1 replaces vault [1]; 1 salvages
      |1 removes vault; 1 restores 1; 1 has a b; 1 numbers = 2 1; 1 restores 2}; 1 has a b c
      """),
  ]

  @Test("it", arguments: replaced)
  func playReplaced(scenario: Scenario) throws { try scenario.run(after: twoMachines) }

  @Test("has a name of its own on machines whose homes and numbers are alike")
  func machines() throws {
    let (one, two) = (Place(), Place())
    for place in [one, two] { try place.keychain().add(servers: ["a.example"]) }
    let shared = VaultLocation(vaultFolder: one.location.vaultFolder, stateFolder: two.location.stateFolder)
    expect(one.newestWriteName != shared.newestWriteName)
  }

  static let killed = [
    Scenario(
      "what a sync program had put there is merged by the next change, however old it is",
      """
      1 sets c; 2 sets d; 1 writes out 2/vault; 1 opens out; 1 ages out 7200; 1 sets e; 1 has a b c d e
      1 lists = generations lock newest vault; 1 numbers = 2 2 1
      """),
    Scenario(
      "the file that it began with goes, and its own that never came into place is kept aside",
      """
      1 sets c; 1 saves vault before; 1 saves seen note; 1 sets d; 1 saves vault after
      {1 writes out before; 1 sets e; 1 has a b c d e; told = created
      |1 writes out after; 1 replaces vault before; 1 writes seen note; 1 sets e; 1 has a b c e
      told = created, unfinished generations/unmerged-unfinished-*; 1 is generations/unmerged-* after}
      1 lists = generations lock newest vault
      """),
    Scenario(
      "of a change of what opens the vault that was broken off, only items are merged",
      """
      1 addsCode A; 1 saves vault before; 1 saves seen note; {1 drops A|1 addsCode B}; 1 is newest 1/vault
      1 replaces vault before; 1 writes seen note; 1 sets c
      1 unmerged = kind: unfinishedWrite generations/unmerged-unfinished-* problem: nil
      told last = unfinished generations/unmerged-unfinished-*; 1 merges generations/unmerged-*
      told last = slotsLeft generations/unmerged-unfinished-*; 1 ways = identity-file A; 1 unmerged = ; 1 has a b c
      """),
    Scenario(
      "of a removal of earlier states that was broken off does not prevent the next one, only a new key",
      """
      1 sets a; 1 saves vault before; 1 saves seen note; 1 compacts; 1 replaces vault before; 1 writes seen note
      1 rotates ! unmerged newest; told mark; 1 compacts; told new = nothing; 1 lists generations = ; 1 unmerged = 
      1 has a b; 1 rotates
      """),
    Scenario(
      "of a change that was broken off prevents the removal of earlier states",
      """
      1 sets c; 1 saves vault before; 1 saves seen note; {1 deletes c|1 sets c}; 1 replaces vault before
      1 writes seen note; 1 compacts ! unmerged newest
      """),
    // What is out of use there may be nowhere else.
    Scenario(
      "of a merge that was broken off prevents the removal of earlier states, also with the same items",
      """
      2 sets a; 1 sets a; 1 saves vault before; 1 saves seen note; 2 to 1; 1 touches; 1 is newest 1/vault
      1 replaces vault before; 1 writes seen note; 1 compacts ! unmerged newest
      """),
    Scenario(
      "so it is where another machine's file has come meanwhile, and where the copy itself is merged",
      """
      1 addsCode A; 1 saves vault before; 1 to 2; 1 saves seen note; 1 drops A; 1 writes seen note
      {2 sets d; 2 to 1; 1 has a b d|1 replaces vault before; 1 merges newest}
      told some slotsLeft newest = 1; 1 ways = identity-file A
      """),
    // Nothing is told twice.
    Scenario(
      "what merging has changed in what opens the vault is told, by whichever way it came",
      """
      2 addsCode A; {1 writes copy 2/vault; 1 has a b|1 writes @other.age 2/vault; 1 merges @other.age}
      told some slotsMerged added: recovery removed: = 1; 2 drops A
      {1 writes copy 2/vault; 1 has a b|1 writes @other.age 2/vault; 1 merges @other.age}
      told some slotsMerged added: removed: recovery = 1; told mark; 1 merges 2/vault; told new = nothing
      """),
    // Merged by hand with their key, it is an earlier state and no copy any more.
    Scenario(
      "what another key opens stays as a conflict copy, and is told",
      """
      2 sets d; 2 rotates; 1 writes out 2/vault; 1 sets c; 1 has a b c; 1 lacks out; 1 is vault.conflict-* 2/vault
      told some unmerged vault.conflict-* otherKey vault.conflict-* = 2; 1 writes identity 1/identity+2/identity
      1 merges vault.conflict-*; 1 has a b c d; 1 lacks vault.conflict-*; 1 compacts
      """),
    // The vault is copied once it is in place, and both are recorded while the key is being changed.
    Scenario(
      "a change of the key that was killed leaves nothing that the former key opens, and no copy of its own",
      """
      1 sets c; 1 saves vault before; 1 saves newest copied; 1 saves seen note; 1 saves identity key; 1 rotates
      {1 writes out before
      |1 writes out 1/vault; 1 replaces vault before; 1 writes newest copied; 1 saves seen later
      1 writes seen note~+later; 1 moves identity identity.new; 1 writes identity key}
      1 sets e; 1 has a b c e; 1 lists = generations lock newest vault; told = created
      """),
  ]

  @Test("a writer that was killed while it exchanged files:", arguments: killed)
  func playKilled(scenario: Scenario) throws { try scenario.run(after: twoMachines) }
}
