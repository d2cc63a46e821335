import Testing

@Suite("The parts of an item in two copies")
struct PartMergingTests {
  /// Two machines with one vault, and a copy of the state that both descend from.
  private static let fork = "1 writes @base.age 1/vault; 2 follows; later 10"

  static let parts = [
    Scenario(
      "a comment that was changed later does not put the old secret back",
      "2 sets a=second; 1 comments a=remark; 1 meets 2 {|1/@base.age}; 1 holds = a=second; 1 comment a = remark"
    ),
    Scenario(
      "a one-time code stays, though the secret was changed later elsewhere",
      """
      1 codes a=otpauth://totp/?secret=GEZDGNBV; 2 sets a=second; 1 meets 2 {|1/@base.age}; 1 holds = a=second
      1 code a = otpauth://totp/?secret=GEZDGNBV; 2 code a = otpauth://totp/?secret=GEZDGNBV
      """),
    Scenario(
      "a one-time code that was removed later stays removed",
      """
      1 sets a=second; 2 codes a=otpauth://totp/?secret=GEZDGNBV; 2 codes a=; 1 meets 2 {|1/@base.age}
      1 holds = a=second; 1 code a = none; 2 code a = none
      """),
    Scenario(
      "a new name stays, though the secret was changed later elsewhere",
      "1 renames a b; 2 sets a=second; 1 meets 2 {|1/@base.age}; 1 holds = b=second"),
    // Nor is anything lost when the copy arrives later without the base.
    Scenario(
      "with the base known, a clock that is behind loses nothing",
      """
      1 comments a=remark; later -259200; 2 sets a=second; 1 meets 2 1/@base.age; 1 holds = a=second
      1 comment a = remark; 1 meets 2; 1 holds = a=second
      """),
    Scenario(
      "where both have another secret, the later one is in use, the other can be had back, and it is said",
      """
      2 sets a=theirs; 1 sets a=ours; 1 merges 2/vault @base.age = count: 1 added: 0 deleted: 0 undecided: 1
      1 holds = a=ours; 1 undeletes a merged; 1 holds = a=theirs
      """),
    Scenario(
      "what one has deleted and the other left alone is deleted, whatever the dates",
      "later -2592000; 2 deletes a; 1 merges 2/vault @base.age; 1 has"),
    Scenario(
      "a base that is none, as git's empty file, counts as not known",
      "1 writes @base.age []; 2 sets a=second; 1 meets 2 1/@base.age; 1 holds = a=second"),
    Scenario(
      "git's merge of three files uses the base",
      """
      1 comments a=remark; later -259200; 2 sets a=second; 1 writes @ours.age 1/vault
      1 mergesFiles @base.age @ours.age 2/vault; 1 writes vault @ours.age; 1 holds = a=second; 1 comment a = remark
      """),
    Scenario(
      "states that differ in their secret alone come back each with its own",
      """
      1 sets a=one's; later -1; 2 sets a=two's; 1 sets a=both's; later -1; 2 sets a=both's; 1 meets 2
      1 secrets a = first one's two's
      """),
    // The copy may have had another secret than the one forgotten here, so it can be restored for a while.
    Scenario(
      "marks of deletions stay when the history is forgotten, so that a copy brings nothing back",
      """
      1 deletes a; 1 compacts = records: 1 …; 1 retired = ; 1 text first = ; 1 merges 2/vault; 1 has
      1 retired = a deleted; 1 compacts = records: 1 …; 1 marked = 1
      """),
    Scenario(
      "a copy that still has a deleted item, merged after a month, leaves one mark and not two of the same",
      "1 deletes a; later 2678400; 1 adds b; 1 merges 2/vault; 1 has b; 1 marked = 1"),
  ]

  @Test("of which", arguments: parts)
  func playParts(scenario: Scenario) throws { try scenario.run(after: "1 sets a=first; " + Self.fork) }

  static let future = [
    Scenario(
      "a change is later than the state before it, which a clock that was ahead had dated",
      "2 sets a=second; 1 meets 2; 1 holds = a=second"),
    Scenario("so is a deletion", "2 deletes a; 1 merges 2/vault; 1 has"),
  ]

  @Test("of which", arguments: future)
  func playFuture(scenario: Scenario) throws { try scenario.run(after: "1 dates a 90; " + Self.fork) }
}
