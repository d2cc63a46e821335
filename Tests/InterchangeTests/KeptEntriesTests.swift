import Expectations
import Interchange
import Keychain
import Testing

/// What an entry says in an unusual way, or where programs differ, and that is neither lost nor taken for something else.
@Suite("entries that say something unusual")
struct KeptEntriesTests {
  private func bitwarden(_ items: String, _ more: String = "") -> String {
    "{\"encrypted\":false,\(more)\"items\":[\(items)]}"
  }

  @Test("what is archived doesn't take the place of what is in use")
  func archived() throws {
    func login(_ password: String, _ more: String) -> String {
      #"{"type":1,"name":"n","login":{"username":"u","password":"\#(password)","uris":[{"uri":"https://h.example"}]},\#(more)}"#
    }
    let old = login("old", #""archivedDate":"2025-06-01T00:00:00Z","revisionDate":"2025-05-01T00:00:00Z""#)
    let new = login("new", #""revisionDate":"2025-04-01T00:00:00Z""#)
    let found = try FoundLogins(Array(bitwarden("\(old),\(new)").utf8), as: .bitwarden)
    expect(found.keptApart.count, is: 1)
    expect(found.keptApart.first?.logins.count, is: 2)
  }

  @Test("folders without entries and searches that a person has saved keep a file of 1Password")
  func foldersOfInterchange() throws {
    let separator = "***5642bee8-a5ff-11dc-8314-0800200c9a66***\n"
    let login =
      #"{"typeName":"passwords.Password","title":"t","folderUuid":"a","secureContents":{"password":"p"}}"#
    let used = #"{"typeName":"system.folder.Regular","uuid":"a","title":"In","folderUuid":"b"}"#
    let above = #"{"typeName":"system.folder.Regular","uuid":"b","title":"Above"}"#
    let empty = #"{"typeName":"system.folder.Regular","uuid":"c","title":"Empty"}"#
    let search = #"{"typeName":"system.folder.SavedSearch","title":"Mine"}"#
    func hasOthers(_ lines: String...) throws -> Bool {
      let text = lines.map { "\($0)\n\(separator)" }.joined()
      return try FoundLogins(Array(text.utf8), as: .onePassword).hasOthers
    }
    try expect(!hasOthers(login, used, above))
    try expect(hasOthers(login, used, above, empty))
    try expect(hasOthers(login, used, above, search))
  }

  @Test(
    "of several lines for one login, none goes alone",
    arguments: [
      (
        FileFormat.gitCredentials, "https://u:new@h.example\nhttps://u:old@h.example\nhttps://v:x@h.example\n"
      ),
      (.pgpass, "h:5432:d:u:new\nh:5432:d:u:old\nh:5432:d:v:x\n"),
    ])
  func firstOfSeveral(format: FileFormat, text: String) throws {
    let found = try FoundLogins(Array(text.utf8), as: format)
    expect(found.logins.map(\.removals.count), is: [2, 2, 1])
    expect(Set(found.logins[0].removals), is: Set(found.logins[1].removals))
  }
}
