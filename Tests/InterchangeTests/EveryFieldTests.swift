import Expectations
import Interchange
import Keychain
import Testing

/// Every field of a source is in an item afterwards, or is named and stays, whichever others there are.
@Suite("no field is lost on the way in")
struct EveryFieldTests {
  /// A kind of file: its fields, and how a file is made of those that are filled.
  struct Kind: CustomTestStringConvertible {
    let name: String
    let format: FileFormat
    let fields: [String]
    /// Those without which there is no login.
    let needed: [String]
    /// The value of a field with words for `@`, if it isn't a word alone.
    let values: [String: String]
    let file: @Sendable (_ value: (String) -> String) -> String

    var testDescription: String { name }

    /// - Parameter fields: their names with `; ` between; `!` is behind those that are needed, and `=U` behind URLs.
    init(
      _ name: String, _ format: FileFormat, _ fields: String, values: [String: String] = [:],
      file: @escaping @Sendable (_ value: (String) -> String) -> String
    ) {
      (self.name, self.format, self.file) = (name, format, file)
      let words = fields.split(separator: "; ")
      let isURL = words.map { $0.hasSuffix("=U") }
      let names = words.map { $0.hasSuffix("=U") ? $0.dropLast(2) : $0 }
      self.fields = names.map { String($0.hasSuffix("!") ? $0.dropLast() : $0) }
      needed = names.filter { $0.hasSuffix("!") }.map { String($0.dropLast()) }
      self.values = zip(self.fields, isURL).reduce(into: values) { if $1.1 { $0[$1.0] = url } }
    }

    /// A text with fields as `«NAME»` or `«NAME!»`.
    init(_ name: String, _ format: FileFormat, text: String, values: [String: String] = [:]) {
      let parts = text.split(separator: "«").flatMap {
        $0.split(separator: "»", omittingEmptySubsequences: false)
      }
      precondition(text.first != "«" && parts.count % 2 == 1)
      let names = stride(from: 1, to: parts.count, by: 2).map { String(parts[$0]) }
      self.init(name, format, names.joined(separator: "; "), values: values) { value in
        parts.enumerated().map { number, part in
          number % 2 == 0 ? String(part) : value(part.last == "!" ? String(part.dropLast()) : String(part))
        }.joined()
      }
    }

    /// A file with these fields filled, and the words in each of them.
    func filled(_ filled: Set<String>) -> (file: String, words: [(field: String, word: String)]) {
      var words: [(field: String, word: String)] = []
      let file = file { field in
        guard filled.contains(field) else { return "" }
        let number = fields.firstIndex(of: field) ?? 0
        let texts = (values[field] ?? "@").split(separator: "@", omittingEmptySubsequences: false)
        let own = (1..<texts.count).map { "w\(number)x\($0)z" }
        words += own.map { (field: field, word: $0) }
        return "\(texts[0])" + zip(own, texts.dropFirst()).map { "\($0)\($1)" }.joined()
      }
      return (file, words)
    }
  }

  private static func csv(
    _ name: String, _ format: FileFormat, _ columns: String, values: [String: String] = [:]
  ) -> Kind {
    let titles = Kind(name, format, columns) { _ in "" }.fields
    return Kind(name, format, columns, values: values) { value in
      titles.joined(separator: ",") + "\n" + titles.map { "\"\(value($0))\"" }.joined(separator: ",") + "\n"
    }
  }

  private static func json(
    _ name: String, _ format: FileFormat, _ fields: String, values: [String: String] = [:],
    _ before: String, _ after: String
  ) -> Kind {
    let names = Kind(name, format, fields) { _ in "" }.fields
    return Kind(name, format, fields, values: values) { value in
      let members = names.filter { !value($0).isEmpty }.map { field in
        let text = value(field)
        return "\"\(field)\":" + (text.first == "{" || text.first == "[" ? text : "\"\(text)\"")
      }
      return before + members.joined(separator: ",") + after
    }
  }

  private static func lines(
    _ name: String, _ format: FileFormat, _ before: String, _ fields: String,
    values: [String: String] = [:], between: String = " = "
  ) -> Kind {
    let names = Kind(name, format, fields) { _ in "" }.fields
    return Kind(name, format, fields, values: values) { value in
      before + names.map { "\($0)\(between)\(value($0))\n" }.joined()
    }
  }

  private static let url = "https://@.example:8443/@/@?@=@"

  static let kinds: [Kind] =
    [
      csv(
        "chrome", .chrome, "name!; url=U; username; password!; note; new"),
      csv(
        "firefox", .firefox,
        "url!=U; username; password!; httpRealm; formActionOrigin=U; guid; timeCreated; timeLastUsed; "
          + "timePasswordChanged; new"),
      csv(
        "keepassxc", .keepassxc,
        "Group; Title!; Username; Password!; URL; Notes; TOTP; Icon; Last Modified; Created; Tags",
        values: ["Group": "Root/@/@", "URL": "jdbc:@://@/@"]),
      csv(
        "1password", .onePassword,
        "Title!; Url; Username; Password!; OTPAuth; Favorite; Archived; Tags; Notes; Type; Vault",
        values: ["Url": "https://@.example/@\nhttps://@.example:99999/@"]),
      csv(
        "bitwarden", .bitwarden,
        "folder; favorite; type; name!; notes; fields; reprompt; login_uri; login_username; "
          + "login_password!; login_totp; collections; archivedDate",
        values: ["type": "login", "login_uri": "https://@.example/@,androidapp://@,https://@.example?@"]),
      csv(
        "keepass", .keePass, "Account!; Login Name; Password!; Web Site=U; Comments; new"),
      csv(
        "lastpass", .lastPass,
        "url=U; username; password!; totp; extra; name!; grouping; fav; new", values: ["grouping": "@\\@"]),
      csv(
        "dashlane", .dashlane,
        "username; username2; username3; title!; password!; note; url=U; category; otpUrl; otpSecret; "
          + "new"),
      csv(
        "protonpass", .protonPass,
        "type; name!; url; email; username; password!; note; totp; createTime; modifyTime; vault; new",
        values: ["type": "login", "url": "https://@.example/@, https://@.example/@, app://@"]),
      csv(
        "nordpass", .nordPass,
        "name!; url=U; additional_urls; username; password!; note; cardholdername; cardnumber; folder; "
          + "email; type; custom_fields",
        values: [
          "type": "password", "additional_urls": #"[""https://@.example/@"",""@""]"#,
          "custom_fields":
            #"[{""label"":""@"",""type"":""hidden"",""value"":""@""},{""label"":""@"",""type"":""text"",""value"":""@""}]"#,
        ]),
      csv(
        "roboform", .roboForm, "Name!; Url=U; MatchUrl=U; Login; Pwd!; Note; Folder; RfFieldsV2",
        values: ["Folder": "/@/@", "RfFieldsV2": "@$,,,pwd,@\",\"@$,,,txt,@\",\"@"]),
      csv(
        "safari", .safari, "Title!; URL=U; Username; Password!; Notes; OTPAuth; new"),
      Kind(
        "enpass", .enpass,
        text:
          #""«Title!»","Username","«Username»","*Password","«*Password!»","URL","«URL»","Email","«Email»","#
          + #""*New","«*New»","TOTP","«TOTP»","«Note»""# + "\n", values: ["URL": url]),
      Kind(
        "keeper", .keeper,
        text: #""«Folder»","«Title!»","«Login»","«Password!»","«URL»","«Notes»","«Shared»","#
          + #""TFC:Keeper","«TFC:Keeper»","New","«New»","Website Address","«Website Address»""# + "\n",
        values: ["Folder": "@\\@", "URL": url, "Website Address": url]),
      json(
        "bitwarden.json", .bitwarden,
        "id; organizationId; folderId; name!; notes; favorite; fields; passwordHistory; creationDate; "
          + "revisionDate; collectionIds; archivedDate; reprompt; card; new; login!",
        values: [
          "fields": #"[{"name":"@","value":"@"}]"#, "passwordHistory": #"[{"password":"@"}]"#,
          "card": #"{"number":"@"}"#,
          "login":
            #"{"username":"@","password":"@","totp":"@","new":"@","fido2Credentials":[{"keyValue":"@"}],"uris":["#
            + #"{"uri":"https://@.example/@","match":0,"uriChecksum":"","new":"@"},{"uri":"https://@.example/@","match":3},"#
            + #"{"uri":"^@$","match":4}]}"#,
        ], #"{"items":[{"type":1,"#, "}]}"),
      json(
        "enpass.json", .enpass,
        "title!; subtitle; category; note; uuid; fields!; folders; attachments; new",
        values: [
          "category": "login", "folders": #"["@"]"#, "attachments": #"[{"name":"@"}]"#,
          "fields":
            #"[{"type":"username","value":"@"},{"type":"password","value":"@"},{"type":"totp","value":"@"},"#
            + #"{"type":"url","value":"https://@.example/@?@"},{"type":"email","label":"@","value":"@"},"#
            + #"{"type":"pin","label":"@","value":"@"},{"type":"text","label":"@","value":"@","new":"@"},"#
            + #"{"type":"text","label":"@","value":"@","deleted":1},{"type":".Android#","value":"@"},"#
            + #"{"type":"password","label":"@","value":"@","history":[{"value":"@"}]}]"#,
        ], #"{"items":[{"#, "}]}"),
      json(
        "protonpass.json", .protonPass, "itemId; data!; aliasEmail; files; new",
        values: [
          "files": #"["@"]"#,
          "data":
            #"{"metadata":{"name":"@","note":"@","new":"@"},"type":"login","new":"@","content":{"itemUsername":"@","#
            + #""itemEmail":"@","password":"@","totpUri":"@","urls":["https://@.example/@"],"passkeys":[{"key":"@"}],"#
            + #""new":"@"},"extraFields":[{"fieldName":"@","type":"hidden","data":{"content":"@"}},{"fieldName":"@","#
            + #""type":"text","data":{"content":"@","new":"@"}},{"fieldName":"@","type":"totp","data":{"totpUri":"@"}}],"#
            + #""platformSpecific":{"android":{"allowedApps":[{"packageName":"@"}]},"new":"@"}}"#,
        ], #"{"vaults":{"v":{"name":"V","items":[{"#, "}]}}}"),
      json(
        "keeper.json", .keeper,
        "title!; login; password!; login_url=U; notes; custom_fields; folders; uid; attachments; new",
        values: [
          "folders": #"[{"folder":"@","shared_folder":"@","new":"@"}]"#,
          "custom_fields":
            #"{"@":"@","id":"@","$text:@:1":"@","$host:@:1":{"hostName":"@","port":["@","@"]},"#
            + #""$oneTimeCode::1":"@","$oneTimeCode:@:2":"@","$url::1":"https://@.example"}"#,
          "attachments": #"[{"name":"@"}]"#,
        ], #"{"records":[{"#, "}]}"),
      json(
        "cxf", .credentialExchange,
        "id; title!; subtitle; tags; scope; credentials!; extensions; new",
        values: [
          "tags": #"["@","@"]"#, "extensions": #"[{"name":"@"}]"#,
          "scope": #"{"urls":["https://@.example/@"],"androidApps":[{"bundleId":"@"}],"new":"@"}"#,
          "credentials":
            #"[{"type":"basic-auth","username":{"value":"@"},"password":{"value":"@","new":"@"}},"#
            + #"{"type":"basic-auth","username":{"value":"@"},"password":{"value":"@"}},{"type":"passkey","key":"@"},"#
            + #"{"type":"totp","secret":"@","issuer":"@","username":"@"},{"type":"note","content":{"value":"@"}},"#
            + #"{"type":"note","content":{"value":"@"}},{"type":"api-key","key":{"value":"@"},"url":{"value":"https://@.example"}},"#
            + #"{"type":"wifi","ssid":{"value":"@"},"passphrase":{"value":"@"}},{"type":"generated-password","password":"@"},"#
            + #"{"type":"custom-fields","label":"@","fields":[{"fieldType":"concealed-string","label":"@","value":"@"},"#
            + #"{"fieldType":"string","label":"@","value":"@"}]},{"type":"@","more":{"value":"@"}}]"#,
        ], #"{"version":{"major":1},"accounts":[{"items":[{"#, "}]}]}"),
      json(
        "1pux", .onePassword, "uuid; overview!; details!; new",
        values: [
          "overview":
            #"{"title":"@","subtitle":"@","url":"https://@.example/@","tags":["@"],"urls":[{"url":"https://@.example"}],"new":"@"}"#,
          "details":
            #"{"loginFields":[{"designation":"username","value":"@"},{"designation":"password","value":"@"},"#
            + #"{"fieldType":"T","name":"@","value":"@"}],"notesPlain":"@","password":"@","new":"@","passwordHistory":[{"value":"@"}],"#
            + #""sections":[{"title":"@","fields":[{"title":"@","value":{"totp":"@"}},{"title":"@","value":{"totp":"@"}},"#
            + #"{"title":"@","value":{"concealed":"@"}},{"title":"@","value":{"string":"@"}},{"title":"@","value":{"address":"#
            + #"{"street":"@","id":"@"}}},{"title":"@","value":{"reference":"@"}},{"title":"@","value":{"file":{"fileName":"@"}}},"#
            + #"{"title":"@","value":{"new":"@"}}]}]}"#,
        ], #"{"accounts":[{"vaults":[{"items":[{"categoryUuid":"001","#, "}]}]}]}"),
      json(
        "1pif", .onePassword, "uuid; title!; location=U; openContents; secureContents!; new",
        values: [
          "openContents": #"{"tags":["@"],"new":"@"}"#,
          "secureContents":
            #"{"fields":[{"designation":"username","value":"@"},{"designation":"password","value":"@"},"#
            + #"{"type":"T","name":"@","value":"@"}],"notesPlain":"@","new":"@","URLs":[{"url":"https://@.example"}],"#
            + #""sections":[{"title":"@","fields":[{"k":"concealed","n":"TOTP_1","t":"@","v":"@"},{"k":"concealed","n":"x","#
            + #""t":"@","v":"@"},{"k":"string","t":"@","v":"@"},{"k":"address","t":"@","v":{"zip":"@"}}]}]}"#,
        ], "***5642bee8-a5ff-11dc-8314-0800200c9a66***\n" + #"{"typeName":"webforms.WebForm","#, "}\n"),
      Kind(
        "keepass.xml", .keePass,
        text: "<KeePassFile><Root><Group><Entry>"
          + [
            "Title!", "UserName", "Password!", "URL", "Notes", "id", "History", "KP2A_URL", "otp",
            "TOTP Seed", "PIN",
            "TimeOtp-Secret-Hex", "KPEX_PASSKEY_X",
          ].map { name in "<String><Key>\(name.filter { $0 != "!" })</Key><Value>«\(name)»</Value></String>" }
          .joined()
          + "</Entry></Group></Root></KeePassFile>",
        values: ["URL": "https://@.example/@", "KP2A_URL": "https://@.example"]),
      json(
        "docker", .docker,
        "username!; password!; identitytoken; registrytoken; email; serveraddress; new",
        #"{"auths":{"r.example":{"#, "}}}"),
      json(
        "llavero", .llavero,
        "server!; account; path; securityDomain; authenticationType; label; comment; description; "
          + "creator; type; attributes; collection; contentType; lookupAttributes; secret!; "
          + "oauth_refresh_token; authtype; created; notes; new",
        values: ["attributes": #"{"addr":"@"}"#, "lookupAttributes": #"{"@":"@"}"#],
        #"{"class":"internet","protocol":"https","#, "}"),
      Kind(
        "netrc", .netrc, "machine!; login; password!; account; path; new"
      ) { value in
        ["machine", "login", "password", "account", "path", "new"].filter { !value($0).isEmpty }
          .map { $0 == "new" ? value($0) : "\($0) \(value($0))" }.joined(separator: " ") + "\n"
      },
      Kind("git-credentials", .gitCredentials, text: "https://«login!»:«password!»@h.example/«path»\n"),
      Kind(
        "cargo", .cargo,
        text:
          "[registry]\ntoken = \"«token!»\"\nnew = \"«new»\"\n[registries.x]\nsecret-key = \"«secret-key»\"\n"
          + "[other]\ntoken = \"«crates»\"\n"),
      Kind(
        "gh", .gitHub,
        text:
          "h.example:\n    user: «user»\n    oauth_token: «oauth_token!»\n    git_protocol: «git_protocol»\n"),
      lines("pypirc", .pypirc, "[pypi]\n", "username; password!; new"),
    ] + developers

  private static let developers: [Kind] = [
    lines(
      "aws", .aws, "[p]\n",
      "aws_access_key_id!; aws_secret_access_key!; aws_session_token; aws_security_token; "
        + "x_security_token_expires; mfa_serial; sso_session; role_arn; new"),
    lines(
      "npm", .npm, "",
      "//r.example/a/:_authToken; //r.example/:username; //r.example/:email; proxy; _authToken; new",
      values: ["proxy": "http://@:@@@.example/@"], between: "="),
    lines(
      "pip", .pip, "[global]\n", "index-url; proxy; new",
      values: ["index-url": url + " " + url, "proxy": "http://@:@@@.example/@"]),
    lines(
      "yarn", .yarn, "npmRegistryServer: https://r.example\n",
      "npmAuthToken; npmAuthIdent; npmAlwaysAuth; new", values: ["npmAuthIdent": "@:@"],
      between: ": "),
    lines("gradle", .gradle, "", "aUsername; aPassword; token; new"),
    lines(
      "mysql", .mysql, "[client]\n", "user; password!; host; database; new"),
    lines(
      "git-config", .gitConfiguration, "[sendemail \"w\"]\n",
      "smtpuser; smtppass!; smtpserver; from; token"),
    Kind(
      "git-config's URLs", .gitConfiguration,
      text: "[url \"https://«login»:«password»@h.example/«path»\"]\ninsteadOf = x«url»\n"
        + "[http \"https://i.example\"]\nextraHeader = Authorization: Bearer «header»\n"),
    Kind(
      "uv", .uv,
      text: "[[index]]\nurl = \"https://«login»:«password»@h.example/«path»\"\nnew = \"«new»\"\n"),
    Kind("pgpass", .pgpass, "host!; database; user; password!") {
      "\($0("host")):5433:\($0("database")):\($0("user")):\($0("password"))\n"
    },
    Kind(
      "kubectl", .kubectl,
      text: "users:\n- name: «name!»\n  user:\n    token: «token»\n    password: «password»\n"
        + "    username: «username»\n    client-key-data: «client-key-data»\n    new: «new»\n"),
    Kind(
      "glab", .gitLab,
      text: "hosts:\n  h.example:\n    token: «token!»\n    user: «user»\n    job_token: «job_token»\n"
        + "    oauth2_refresh_token: «oauth2_refresh_token»\n    oauth2_expiry_date: «oauth2_expiry_date»\n"
        + "    api_host: «api_host»\n"),
    Kind("vault", .vault, "token!") { $0("token") + "\n" },
    Kind(
      "terraform", .terraform,
      text: "credentials \"h.example\" {\n  token = \"«token!»\"\n}\ncredentials \"i.example\" {\n"
        + "  token = \"«other»\"\n  new = \"«new»\"\n}\n"),
    json(
      "terraform.json", .terraform, "token!; new",
      #"{"credentials":{"h.example":{"#, "}}}"),
    Kind(
      "maven", .maven,
      text:
        "<settings><servers><server><id>«id!»</id><username>«username»</username><password>«password!»</password>"
        + "<passphrase>«passphrase»</passphrase><filePermissions>«filePermissions»</filePermissions><new>«new»</new>"
        + "<configuration><httpHeaders><property><name>Private-Token</name><value>«Private-Token»</value></property>"
        + "</httpHeaders></configuration></server></servers><profiles><profile><properties>"
        + "<nexus.token>«nexus.token»</nexus.token></properties></profile></profiles></settings>"),
    Kind(
      "maven's proxies", .maven,
      text: "<settings><proxies><proxy><id>«id»</id><host>«host!»</host><username>«username»</username>"
        + "<password>«password!»</password><nonProxyHosts>«nonProxyHosts»</nonProxyHosts></proxy></proxies></settings>"
    ),
    Kind(
      "nuget", .nuget,
      "Username!; ClearTextPassword!; Password; ValidAuthenticationTypes; new; corp"
    ) { value in
      let parts = ["Username", "ClearTextPassword", "Password", "ValidAuthenticationTypes", "new"].filter {
        !value($0).isEmpty
      }
      return
        "<configuration><packageSources><add key=\"corp\" value=\"https://\(value("corp")).example/\" /></packageSources>"
        + "<packageSourceCredentials><corp>"
        + parts.map { "<add key=\"\($0)\" value=\"\(value($0))\" />" }.joined()
        + "</corp></packageSourceCredentials></configuration>"
    },
    lines(
      "rclone", .rclone, "[r]\n",
      "type!; provider; user; access_key_id; secret_access_key; session_token; client_id; "
        + "client_secret; pass; endpoint; url=U; token; new",
      values: ["token": #"{"access_token":"@","refresh_token":"@","new":"@"}"#, "type": "s3"]),
    Kind(
      "gcm", .gcm, "password!; service!; account; new"
    ) {
      "\($0("password"))\nservice=https://\($0("service")).example\naccount=\($0("account"))\nnew=\($0("new"))\n"
    },
    json(
      "composer", .composer, "username; password!; new",
      #"{"http-basic":{"h.example":{"#, "}}}"),
    json(
      "composer's consumers", .composer,
      "consumer-key; consumer-secret!; access-token; access-token-expiration; new",
      #"{"bitbucket-oauth":{"bitbucket.org":{"#, "}}}"),
    json(
      "composer's tokens", .composer, "token!; refresh-token; expires-at; username",
      #"{"gitlab-oauth":{"gitlab.com":{"#, "}}}"),
  ]

  @Test("each field with all others, and with the needed ones alone", arguments: kinds)
  func everyField(kind: Kind) throws {
    let all = Set(kind.fields)
    for filled in [all] + kind.fields.map({ Set(kind.needed + [$0, "type"]) })
      + kind.fields.map({ all.subtracting([$0]) })
    {
      let (file, words) = kind.filled(filled)
      // What is refused stays as a whole.
      guard let found = try? FoundLogins(Array(file.utf8), as: kind.format) else { continue }
      let items = found.logins.map { login in
        let secret = login.credential.secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        return "\(login.item) \(secret) \(Self.token(of: login)) \(Self.further(of: login))"
      }.joined()
      let rest = try Self.remainder(of: Array(file.utf8), without: found)
      for (field, word) in words where !items.contains(word) && !rest.contains(word) {
        expect(found.bookkeeping.contains { $0.lowercased() == field.lowercased() }, "\(field) of \(file)")
      }
    }
  }

  @Test("the same of a table whose columns a person names")
  func table() throws {
    let columns = try TableColumns(
      "name=Name,url=Url,account=User,password=Pass,notes=Info,tags=Kind,field:f=Pin")
    try everyField(
      kind: Self.csv(
        "csv", columns.format, "Name!; Url=U; User; Pass!; Info; Kind; Pin; Colour"))
  }

  private static func token(of login: FoundLogin) -> String {
    var text = ""
    switch login.credential.refreshToken {
    case .none: break
    case .some(let token): text = token.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
    login.credential.further.forEachField { text += "\($0) \(String(decoding: $1, as: UTF8.self)) " }
    return text + (login.credential.authenticationScheme.map { "\($0)" } ?? "")
  }

  private static func further(of login: FoundLogin) -> String {
    var text = login.item.tags.map(\.description).joined(separator: " ")
    login.item.fields.forEach { text += " \($0.name) \($0.value)" }
    login.credential.further.forEachField { text += " \($0) \(String(decoding: $1, as: UTF8.self))" }
    switch login.credential.further.oneTimeCode {
    case .none: break
    case .some(let code): text += code.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
    return text
  }

  /// The file once everything is gone that leaves nothing behind.
  private static func remainder(of file: [UInt8], without found: FoundLogins) throws -> String {
    let staying = Set(found.logins.filter { !$0.leftBehind.isEmpty }.flatMap(\.removals))
    let going = Set(found.logins.flatMap(\.removals)).subtracting(staying)
    return try file.withUnsafeBytes { bytes in
      let rest = try SourceText(bytes).file(bytes, after: going)
      return rest.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
  }
}
