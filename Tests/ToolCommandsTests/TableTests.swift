import Expectations
import Testing

@testable import ToolCommands

@Suite("tables") struct TableTests {
  @Test(
    "width is that of a terminal",
    arguments: [
      ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("漢字", 4), ("한국", 4), ("\u{1112}\u{1161}\u{11ab}", 2),
      ("🔑", 2),
      ("ｱ", 1), ("Ａ", 2), ("…", 1), ("ไทย", 3), ("👍", 2), ("½", 1), ("\u{20000}", 2), ("a漢e\u{301}", 4),
    ])
  func width(text: String, columns: Int) {
    expect(displayWidth(text), is: columns)
  }

  @Test(
    "what is too long is cut where a column ends",
    arguments: [
      ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("漢字漢字", 8, "漢字漢字"), ("漢字漢字", 7, "漢字漢…"),
      ("漢字漢字", 6, "漢字…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"), ("abc", 1, "…"), ("abc", 0, ""),
    ])
  func cut(text: String, width: Int, shown: String) {
    expect(shortened(text, to: width), is: shown)
    expect(displayWidth(shown) <= max(width, displayWidth(text)))
  }

  @Test("columns of wide characters line up")
  func wide() {
    expect(
      columns([["漢", "x"], ["abc", "y"], ["e\u{301}", "z"]]).shown, is: "漢   x\nabc  y\ne\u{301}    z\n")
  }

  @Test(
    "what is pasted stays whole, and otherwise a line is never wider than the terminal", arguments: 20...90)
  func fits(limit: Int) {
    let rows = [
      ["https://server.example.com/path", "somebody@example.com", "2026-11-21", "漢字漢字漢字漢字漢字"],
      ["short", "a", "b", ""],
    ]
    var table = Table(limit: limit, whole: 2)
    table.fit(rows)
    let wholeWidth = 31 + 2 + 20
    for row in rows {
      expect(displayWidth(table.line(row)) <= max(limit, wholeWidth))
      expect(table.line(row).last != " ")
    }
    let line = table.line(rows[0])
    expect(line.hasPrefix("https://server.example.com/path  somebody@example.com"))
    // The label is cut first, then left out, then the date is.
    expect(line.contains("2026-11-21"), is: limit >= wholeWidth + 2 + 10)
    expect(line.contains("漢"), is: limit >= wholeWidth + 2 + 10 + 2 + 8)
    expect(line.hasSuffix("漢字漢字漢字漢字漢字"), is: limit >= wholeWidth + 2 + 10 + 2 + 20)
  }

  @Test("a column that was shown stays, and one that was left out doesn't come back")
  func laterRows() {
    var table = Table(limit: 30, whole: 1)
    table.fit([["PLACE", "CHANGED", "LABEL"]])
    table.fit([["a-place-of-20-columns", "2026-11-21", "a label"]])
    expect(table.line(["a", "b", "a long label"]), is: "a                      b           a long …")
    var narrow = Table(limit: 12, whole: 1)
    narrow.fit([["a-place", "2026-11-21", "a label"]])
    narrow.fit([["b", "c", "d"]])
    expect(narrow.line(["b", "c", "d"]), is: "b")
    expect([table.leftOut, narrow.leftOut], is: [0, 2])
  }

  @Test("no limit, nothing cut")
  func unlimited() {
    var table = Table()
    let long = String(repeating: "x", count: 5000)
    table.fit([[long, "y"]])
    expect(table.line([long, "y"]), is: long + "  y")
  }

  @Test("columns only grow as rows come")
  func grows() {
    var table = Table()
    table.fit([["aaaa", "b"]])
    table.fit([["a", "b"]])
    expect(table.line(["a", "b"]), is: "a     b")
    table.fit([["aaaaaa", "b"]])
    expect(table.line(["a", "b"]), is: "a       b")
  }

  @Test("columns are as wide as their longest cell, without space at the end")
  func table() {
    expect(
      columns([["A", "B", ""], ["long", "b", "x"], ["", "longer", ""]])
        .shown, is: "A     B\nlong  b       x\n      longer\n")
    expect(columns([]).shown, is: "")
    expect(columns([["a\n\u{1b}", "b"]]).shown, is: "a\\u{a}\\u{1b}  b\n")
  }

  @Test(
    "a text is broken at spaces, and never within a word or a command in quotes",
    arguments: [
      ("one two three", 20, ["one two three"]), ("one two three", 8, ["one two", "three"]),
      ("one two three", 3, ["one", "two", "three"]),
      ("see 'llavero help git', too", 12, ["see", "'llavero help git',", "too"]),
      ("('llavero list' shows all)", 10, ["('llavero list'", "shows all)"]),
      ("don't 'tis so", 8, ["don't", "'tis so"]),
      ("漢字 漢字", 4, ["漢字", "漢字"]), ("", 5, [""]), ("a  b", 9, ["a  b"]),
    ])
  func broken(text: String, width: Int, lines: [String]) {
    expect(wrapped(text, to: width), is: lines)
  }

  @Test("the last column is broken below itself, or on a narrow terminal below the row")
  func wrapping() {
    let rows = [
      ["state", "locked, and nobody was asked for it"], ["  next", "llavero unlock --keychain work"],
    ]
    func shown(_ width: Int?) -> String { columns(rows, wrappedTo: width) { $0[0] == "  next" }.shown }
    expect(shown(nil), is: columns(rows).shown)
    expect(shown(80), is: columns(rows).shown)
    expect(
      shown(35),
      is: "state   locked, and nobody was\n        asked for it\n  next  llavero unlock --keychain work\n")
    expect(
      shown(30),
      is: "state\n      locked, and nobody was\n      asked for it\n"
        + "  next\n      llavero unlock --keychain work\n")
  }

  @Test("columns without room are below in each row, and so is a word that has room only there")
  func below() {
    let rows = [["", "NAME", "PLACE", "STATE"], ["*", "a", "~/a-place", "9 logins"], ["", "b", "~/b", ""]]
    expect(
      columns(rows, wrappedTo: 20).shown,
      is: "   NAME  PLACE\n      STATE\n*  a     ~/a-place\n      9 logins\n   b     ~/b\n")
    expect(
      columns([["a bcde", "see https://a.example/path-of-b"]], wrappedTo: 34).shown,
      is: "a bcde\n      see\n      https://a.example/path-of-b\n")
    let items = [["https://a-long.example", "alice", "2026-11-21"], ["https://a.example", "b", "-"]]
    expect(
      columns(items, cutTo: 25, whole: 2).shown,
      is: "https://a-long.example\n      alice\nhttps://a.example\n      b\n")
  }

  @Test("where the first column is very wide, the other is below it in every row")
  func stacked() {
    let subject = "git, https://source.developers.google.com"
    let rows = [["git", "asks llavero"], [subject, "asks cloud.sh, then llavero"], ["  next", "a b c"]]
    let stacked =
      "git\n      asks llavero\n\(subject)\n      asks cloud.sh, then llavero\n  next\n      a b c\n"
    for width in [60, 80, 200] {
      expect(columns(rows, wrappedTo: width) { $0[0] == "  next" }.shown, is: stacked)
    }
    expect(columns(rows, wrappedTo: nil).shown, is: columns(rows).shown)
  }
}
