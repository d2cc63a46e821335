import Expectations
import Interchange
import Keychain
import Testing

/// Marks and folders, which every program has in a form of its own.
@Suite("favorites, the archive and folders in every format")
struct MarkedEntriesTests {
  private func tags(_ text: String, _ format: FileFormat) throws -> [String] {
    let found = try FoundLogins(Array(text.utf8), as: format)
    let login = try #require(found.logins.first, "\(text)")
    expect(login.leftBehind.isEmpty, "\(text)")
    return login.item.tags.map(\.description) + login.item.fields.map { "\($0.name)=\($0.value)" }
  }

  @Test("a favorite and what is in the archive have the same tags, whatever exports them")
  func marks() throws {
    func enpass(_ members: String) -> String {
      #"{"items":[{"title":"t","fields":[{"type":"password","value":"p"}],\#(members)}]}"#
    }
    func onePassword(_ members: String) -> String {
      #"{"accounts":[{"vaults":[{"items":[{"categoryUuid":"001","overview":{"title":"t"},"details":{"password":"p"},"#
        + "\(members)}]}]}]}"
    }
    func exchanged(_ members: String) -> String {
      #"{"version":{"major":1},"accounts":[{"items":[{"title":"t","credentials":[{"type":"generated-password","#
        + #""password":"p"}],\#(members)}]}]}"#
    }
    for (text, format, expected) in [
      (enpass(#""favorite":1,"archived":0"#), FileFormat.enpass, ["favorite"]),
      (enpass(#""favorite":0,"archived":1"#), .enpass, ["archived"]),
      (onePassword(#""favIndex":3,"state":"active""#), .onePassword, ["favorite"]),
      (onePassword(#""favIndex":0,"state":"archived""#), .onePassword, ["archived"]),
      (exchanged(#""favorite":true"#), .credentialExchange, ["favorite"]),
      (exchanged(#""favorite":false"#), .credentialExchange, []),
      (
        #"{"vaults":{"v":{"name":"","items":[{"pinned":true,"data":{"metadata":{"name":"t"},"type":"login","#
          + #""content":{"password":"p"}}}]}}}"#, .protonPass, ["favorite"]
      ),
      (
        #"{"uuid":"A","typeName":"passwords.Password","title":"t","secureContents":{"password":"p"},"#
          + #""openContents":{"faveIndex":2}}"# + "\n", .onePassword, ["favorite"]
      ),
      (
        #"{"items":[{"type":1,"name":"t","favorite":true,"reprompt":1,"archivedDate":"2026-01-01T00:00:00Z","#
          + #""login":{"password":"p"}}]}"#, .bitwarden,
        ["favorite", "reprompt", "archived", "archivedDate=2026-01-01T00:00:00Z"]
      ),
      ("url,username,password,extra,name,grouping,fav\n,,p,,t,,1\n", .lastPass, ["favorite"]),
      ("Title,Url,Username,Password,Favorite,Archived\nt,,,p,true,false\n", .onePassword, ["favorite"]),
      ("Title,Url,Username,Password,Favorite,Archived\nt,,,p,false,true\n", .onePassword, ["archived"]),
    ] {
      let file =
        text.first == "{" && text.contains("typeName")
        ? "***5642bee8-a5ff-11dc-8314-0800200c9a66***\n" + text : text
      try expect(tags(file, format), is: expected, "\(text)")
    }
  }

  @Test("a field that a person calls so is none")
  func personsFields() throws {
    let text = #"{"records":[{"title":"t","password":"p","custom_fields":{"favorite":"blue"}}]}"#
    try expect(tags(text, .keeper), is: [])
    try expect(FoundLogins(Array(text.utf8), as: .keeper).logins[0].credential.further.hasFields)
  }

  @Test("another state than these is named, and stays")
  func otherState() throws {
    let text =
      #"{"accounts":[{"vaults":[{"items":[{"overview":{"title":"t"},"details":{"password":"p"},"state":"new"}]}]}]}"#
    try expect(Found(text, as: .onePassword).logins, is: ["t p + state"])
  }

  @Test("a folder has the names of those that it is in")
  func folders() throws {
    for (folders, expected) in [
      (#"{"uuid":"1","title":"Work"},{"uuid":"2","title":"Deep","parent_uuid":"1"}"#, "Work/Deep"),
      (#"{"uuid":"2","title":"Deep","parent_uuid":"9"}"#, "Deep"),
      (#"{"uuid":"1","title":"A","parent_uuid":"2"},{"uuid":"2","title":"B","parent_uuid":"1"}"#, "B"),
    ] {
      let text =
        #"{"folders":[\#(folders)],"items":[{"title":"t","folders":["2"],"fields":[{"type":"password","value":"p"}]}]}"#
      try expect(tags(text, .enpass), is: [expected], "\(folders)")
    }
    let exchanged =
      #"{"version":{"major":1},"accounts":[{"collections":[{"title":"Work","subCollections":[{"title":"Deep","items":["#
      + #"{"item":"i"}]}]}],"items":[{"id":"i","credentials":[{"type":"generated-password","password":"p"}],"title":"t"}]}]}"#
    try expect(tags(exchanged, .credentialExchange), is: ["Work/Deep"])
    let separator = "***5642bee8-a5ff-11dc-8314-0800200c9a66***\n"
    let lines = [
      #"{"uuid":"1","typeName":"system.folder.Regular","title":"Work"}"#,
      #"{"uuid":"2","typeName":"system.folder.Regular","title":"Deep","folderUuid":"1"}"#,
      #"{"typeName":"passwords.Password","title":"t","folderUuid":"2","secureContents":{"password":"p"}}"#,
    ]
    try expect(tags(lines.map { $0 + "\n" + separator }.joined(), .onePassword), is: ["Work/Deep"])
  }

  @Test("Keeper's folders have backslashes between them, and two in a name", arguments: [true, false])
  func keepersFolders(isJSON: Bool) throws {
    let folder = #"Work\Clients\\One"#
    let text =
      isJSON
      ? #"{"records":[{"title":"t","password":"p","folders":[{"folder":"Work\\Clients\\\\One"}]}]}"#
      : "\"\(folder)\",t,,p,https://a.example,,\n"
    try expect(tags(text, .keeper), is: [#"Work/Clients\One"#])
  }
}
