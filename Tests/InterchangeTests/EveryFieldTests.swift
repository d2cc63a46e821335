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
    /// The value of a field with a word in it, if it isn't the word alone.
    var values: [String: String] = [:]
    let file: @Sendable (_ value: (String) -> String) -> String

    var testDescription: String { name }

    /// A file with these fields filled, and the words in each of them.
    func filled(_ filled: Set<String>) -> (file: String, words: [(field: String, word: String)]) {
      var words: [(field: String, word: String)] = []
      let file = file { field in
        guard filled.contains(field) else { return "" }
        let number = fields.firstIndex(of: field) ?? 0
        var value = ""
        for (part, text) in (values[field] ?? "@").split(separator: "@", omittingEmptySubsequences: false)
          .enumerated()
        {
          if part > 0 {
            words.append((field, "w\(number)x\(part)z"))
            value += "w\(number)x\(part)z"
          }
          value += text
        }
        return value
      }
      return (file, words)
    }
  }

  private static func csv(
    _ name: String, _ format: FileFormat, _ columns: [String], needed: [String], values: [String: String]
  ) -> Kind {
    Kind(name: name, format: format, fields: columns, needed: needed, values: values) { value in
      columns.joined(separator: ",") + "\n" + columns.map { "\"\(value($0))\"" }.joined(separator: ",") + "\n"
    }
  }

  private static func json(
    _ name: String, _ format: FileFormat, _ fields: [String], needed: [String], values: [String: String],
    _ before: String, _ after: String
  ) -> Kind {
    Kind(name: name, format: format, fields: fields, needed: needed, values: values) { value in
      let members = fields.filter { !value($0).isEmpty }.map { field in
        let text = value(field)
        return "\"\(field)\":" + (text.first == "{" || text.first == "[" ? text : "\"\(text)\"")
      }
      return before + members.joined(separator: ",") + after
    }
  }

  private static let url = "https://@.example:8443/@/@?@=@"

  static let kinds: [Kind] =
    [
      csv(
        "chrome", .chrome, ["name", "url", "username", "password", "note", "new"],
        needed: ["password", "name"],
        values: ["url": url]),
      csv(
        "firefox", .firefox,
        [
          "url", "username", "password", "httpRealm", "formActionOrigin", "guid", "timeCreated",
          "timeLastUsed",
          "timePasswordChanged", "new",
        ], needed: ["password", "url"], values: ["url": url, "formActionOrigin": url]),
      csv(
        "keepassxc", .keepassxc,
        [
          "Group", "Title", "Username", "Password", "URL", "Notes", "TOTP", "Icon", "Last Modified",
          "Created",
          "Tags",
        ],
        needed: ["Password", "Title"], values: ["Group": "Root/@/@", "URL": "jdbc:@://@/@"]),
      csv(
        "1password", .onePassword,
        [
          "Title", "Url", "Username", "Password", "OTPAuth", "Favorite", "Archived", "Tags", "Notes", "Type",
          "Vault",
        ],
        needed: ["Password", "Title"], values: ["Url": "https://@.example/@\nhttps://@.example:99999/@"]),
      csv(
        "bitwarden", .bitwarden,
        [
          "folder", "favorite", "type", "name", "notes", "fields", "reprompt", "login_uri", "login_username",
          "login_password", "login_totp", "collections", "archivedDate",
        ], needed: ["login_password", "name"],
        values: ["type": "login", "login_uri": "https://@.example/@,androidapp://@,https://@.example?@"]),
      csv(
        "keepass", .keePass, ["Account", "Login Name", "Password", "Web Site", "Comments", "new"],
        needed: ["Account", "Password"], values: ["Web Site": url]),
      csv(
        "lastpass", .lastPass,
        ["url", "username", "password", "totp", "extra", "name", "grouping", "fav", "new"],
        needed: ["password", "name"], values: ["url": url, "grouping": "@\\@"]),
      csv(
        "dashlane", .dashlane,
        [
          "username", "username2", "username3", "title", "password", "note", "url", "category", "otpUrl",
          "otpSecret",
          "new",
        ], needed: ["password", "title"], values: ["url": url]),
      csv(
        "protonpass", .protonPass,
        [
          "type", "name", "url", "email", "username", "password", "note", "totp", "createTime", "modifyTime",
          "vault",
          "new",
        ],
        needed: ["password", "name"],
        values: ["type": "login", "url": "https://@.example/@, https://@.example/@, app://@"]),
      csv(
        "nordpass", .nordPass,
        [
          "name", "url", "additional_urls", "username", "password", "note", "cardholdername", "cardnumber",
          "folder",
          "email", "type", "custom_fields",
        ], needed: ["password", "name"],
        values: [
          "type": "password", "url": url, "additional_urls": #"[""https://@.example/@"",""@""]"#,
          "custom_fields":
            #"[{""label"":""@"",""type"":""hidden"",""value"":""@""},{""label"":""@"",""type"":""text"",""value"":""@""}]"#,
        ]),
      csv(
        "roboform", .roboForm, ["Name", "Url", "MatchUrl", "Login", "Pwd", "Note", "Folder", "RfFieldsV2"],
        needed: ["Pwd", "Name"],
        values: [
          "Url": url, "MatchUrl": url, "Folder": "/@/@", "RfFieldsV2": "@$,,,pwd,@\",\"@$,,,txt,@\",\"@",
        ]),
      csv(
        "safari", .safari, ["Title", "URL", "Username", "Password", "Notes", "OTPAuth", "new"],
        needed: ["Password", "Title"], values: ["URL": url]),
      Kind(
        name: "enpass", format: .enpass,
        fields: ["Title", "Username", "*Password", "URL", "Email", "*New", "TOTP", "Note"],
        needed: ["Title", "*Password"], values: ["URL": url]
      ) { value in
        let pairs = ["Username", "*Password", "URL", "Email", "*New", "TOTP"].map {
          "\"\($0)\",\"\(value($0))\","
        }
        return "\"\(value("Title"))\"," + pairs.joined() + "\"\(value("Note"))\"\n"
      },
      Kind(
        name: "keeper", format: .keeper,
        fields: [
          "Folder", "Title", "Login", "Password", "URL", "Notes", "Shared", "TFC:Keeper", "New",
          "Website Address",
        ],
        needed: ["Title", "Password"], values: ["URL": url, "Folder": "@\\@", "Website Address": url]
      ) { value in
        ["Folder", "Title", "Login", "Password", "URL", "Notes", "Shared"].map { "\"\(value($0))\"" }.joined(
          separator: ",")
          + ["TFC:Keeper", "New", "Website Address"].map { ",\"\($0)\",\"\(value($0))\"" }.joined() + "\n"
      },
      json(
        "bitwarden.json", .bitwarden,
        [
          "id", "organizationId", "folderId", "name", "notes", "favorite", "fields", "passwordHistory",
          "creationDate",
          "revisionDate", "collectionIds", "archivedDate", "reprompt", "card", "new", "login",
        ], needed: ["login", "name"],
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
        ["title", "subtitle", "category", "note", "uuid", "fields", "folders", "attachments", "new"],
        needed: ["title", "fields"],
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
        "protonpass.json", .protonPass, ["itemId", "data", "aliasEmail", "files", "new"], needed: ["data"],
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
        [
          "title", "login", "password", "login_url", "notes", "custom_fields", "folders", "uid",
          "attachments",
          "new",
        ],
        needed: ["title", "password"],
        values: [
          "login_url": url, "folders": #"[{"folder":"@","shared_folder":"@","new":"@"}]"#,
          "custom_fields":
            #"{"@":"@","id":"@","$text:@:1":"@","$host:@:1":{"hostName":"@","port":["@","@"]},"#
            + #""$oneTimeCode::1":"@","$oneTimeCode:@:2":"@","$url::1":"https://@.example"}"#,
          "attachments": #"[{"name":"@"}]"#,
        ], #"{"records":[{"#, "}]}"),
      json(
        "cxf", .credentialExchange,
        ["id", "title", "subtitle", "tags", "scope", "credentials", "extensions", "new"],
        needed: ["title", "credentials"],
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
        "1pux", .onePassword, ["uuid", "overview", "details", "new"], needed: ["overview", "details"],
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
        "1pif", .onePassword, ["uuid", "title", "location", "openContents", "secureContents", "new"],
        needed: ["title", "secureContents"],
        values: [
          "location": url, "openContents": #"{"tags":["@"],"new":"@"}"#,
          "secureContents":
            #"{"fields":[{"designation":"username","value":"@"},{"designation":"password","value":"@"},"#
            + #"{"type":"T","name":"@","value":"@"}],"notesPlain":"@","new":"@","URLs":[{"url":"https://@.example"}],"#
            + #""sections":[{"title":"@","fields":[{"k":"concealed","n":"TOTP_1","t":"@","v":"@"},{"k":"concealed","n":"x","#
            + #""t":"@","v":"@"},{"k":"string","t":"@","v":"@"},{"k":"address","t":"@","v":{"zip":"@"}}]}]}"#,
        ], "***5642bee8-a5ff-11dc-8314-0800200c9a66***\n" + #"{"typeName":"webforms.WebForm","#, "}\n"),
      Kind(
        name: "keepass.xml",
        format: .keePass,
        fields: [
          "Title", "UserName", "Password", "URL", "Notes", "id", "History", "KP2A_URL", "otp", "TOTP Seed",
          "PIN",
          "TimeOtp-Secret-Hex", "KPEX_PASSKEY_X",
        ], needed: ["Title", "Password"],
        values: ["URL": "https://@.example/@", "KP2A_URL": "https://@.example"]
      ) { value in
        let strings = [
          "Title", "UserName", "Password", "URL", "Notes", "id", "History", "KP2A_URL", "otp", "TOTP Seed",
          "PIN",
          "TimeOtp-Secret-Hex", "KPEX_PASSKEY_X",
        ].map { "<String><Key>\($0)</Key><Value>\(value($0))</Value></String>" }
        return "<KeePassFile><Root><Group><Entry>\(strings.joined())</Entry></Group></Root></KeePassFile>"
      },
      json(
        "docker", .docker,
        ["username", "password", "identitytoken", "registrytoken", "email", "serveraddress", "new"],
        needed: ["username", "password"], values: [:], #"{"auths":{"r.example":{"#, "}}}"),
      json(
        "llavero", .llavero,
        [
          "server", "account", "path", "securityDomain", "authenticationType", "label", "comment",
          "description", "creator",
          "type", "attributes", "collection", "contentType", "lookupAttributes", "secret",
          "oauth_refresh_token", "authtype",
          "created", "notes", "new",
        ], needed: ["secret", "server"],
        values: ["attributes": #"{"addr":"@"}"#, "lookupAttributes": #"{"@":"@"}"#],
        #"{"class":"internet","protocol":"https","#, "}"),
      Kind(
        name: "netrc", format: .netrc, fields: ["machine", "login", "password", "account", "path", "new"],
        needed: ["machine", "password"]
      ) { value in
        ["machine", "login", "password", "account", "path", "new"].filter { !value($0).isEmpty }
          .map { $0 == "new" ? value($0) : "\($0) \(value($0))" }.joined(separator: " ") + "\n"
      },
      Kind(
        name: "git-credentials", format: .gitCredentials, fields: ["login", "password", "path"],
        needed: ["login", "password"]
      ) { "https://\($0("login")):\($0("password"))@h.example/\($0("path"))\n" },
      Kind(
        name: "cargo", format: .cargo, fields: ["token", "secret-key", "new", "crates"], needed: ["token"]
      ) { value in
        "[registry]\ntoken = \"\(value("token"))\"\nnew = \"\(value("new"))\"\n[registries.x]\n"
          + "secret-key = \"\(value("secret-key"))\"\n[other]\ntoken = \"\(value("crates"))\"\n"
      },
      Kind(
        name: "gh", format: .gitHub, fields: ["user", "oauth_token", "git_protocol"], needed: ["oauth_token"]
      ) { value in
        "h.example:\n" + ["user", "oauth_token", "git_protocol"].map { "    \($0): \(value($0))\n" }.joined()
      },
      Kind(
        name: "pypirc", format: .pypirc, fields: ["username", "password", "new"], needed: ["password"]
      ) { value in "[pypi]\n" + ["username", "password", "new"].map { "\($0) = \(value($0))\n" }.joined() },
    ] + developers

  private static func lines(
    _ name: String, _ format: FileFormat, _ before: String, _ fields: [String], needed: [String],
    values: [String: String] = [:], between: String = " = "
  ) -> Kind {
    Kind(name: name, format: format, fields: fields, needed: needed, values: values) { value in
      before + fields.map { "\($0)\(between)\(value($0))\n" }.joined()
    }
  }

  private static let developers: [Kind] = [
    lines(
      "aws", .aws, "[p]\n",
      [
        "aws_access_key_id", "aws_secret_access_key", "aws_session_token", "aws_security_token",
        "x_security_token_expires", "mfa_serial", "sso_session", "role_arn", "new",
      ], needed: ["aws_access_key_id", "aws_secret_access_key"]),
    lines(
      "npm", .npm, "",
      [
        "//r.example/a/:_authToken", "//r.example/:username", "//r.example/:email", "proxy", "_authToken",
        "new",
      ],
      needed: [], values: ["proxy": "http://@:@@@.example/@"], between: "="),
    lines(
      "pip", .pip, "[global]\n", ["index-url", "proxy", "new"], needed: [],
      values: ["index-url": url + " " + url, "proxy": "http://@:@@@.example/@"]),
    lines(
      "yarn", .yarn, "npmRegistryServer: https://r.example\n",
      ["npmAuthToken", "npmAuthIdent", "npmAlwaysAuth", "new"], needed: [], values: ["npmAuthIdent": "@:@"],
      between: ": "),
    lines("gradle", .gradle, "", ["aUsername", "aPassword", "token", "new"], needed: []),
    lines(
      "mysql", .mysql, "[client]\n", ["user", "password", "host", "database", "new"], needed: ["password"]),
    lines(
      "git-config", .gitConfiguration, "[sendemail \"w\"]\n",
      ["smtpuser", "smtppass", "smtpserver", "from", "token"], needed: ["smtppass"]),
    Kind(
      name: "git-config's URLs", format: .gitConfiguration,
      fields: ["login", "password", "path", "header", "url"],
      needed: []
    ) { value in
      "[url \"https://\(value("login")):\(value("password"))@h.example/\(value("path"))\"]\ninsteadOf = x\(value("url"))\n"
        + "[http \"https://i.example\"]\nextraHeader = Authorization: Bearer \(value("header"))\n"
    },
    Kind(name: "uv", format: .uv, fields: ["login", "password", "path", "new"], needed: []) { value in
      "[[index]]\nurl = \"https://\(value("login")):\(value("password"))@h.example/\(value("path"))\"\nnew = \"\(value("new"))\"\n"
    },
    Kind(
      name: "pgpass", format: .pgpass, fields: ["host", "database", "user", "password"],
      needed: ["host", "password"]
    ) { "\($0("host")):5433:\($0("database")):\($0("user")):\($0("password"))\n" },
    Kind(
      name: "kubectl", format: .kubectl,
      fields: ["name", "token", "password", "username", "client-key-data", "new"],
      needed: ["name"]
    ) { value in
      "users:\n- name: \(value("name"))\n  user:\n"
        + ["token", "password", "username", "client-key-data", "new"].map { "    \($0): \(value($0))\n" }
        .joined()
    },
    Kind(
      name: "glab", format: .gitLab,
      fields: ["token", "user", "job_token", "oauth2_refresh_token", "oauth2_expiry_date", "api_host"],
      needed: ["token"]
    ) { value in
      "hosts:\n  h.example:\n"
        + ["token", "user", "job_token", "oauth2_refresh_token", "oauth2_expiry_date", "api_host"].map {
          "    \($0): \(value($0))\n"
        }
        .joined()
    },
    Kind(name: "vault", format: .vault, fields: ["token"], needed: ["token"]) { $0("token") + "\n" },
    Kind(name: "terraform", format: .terraform, fields: ["token", "other", "new"], needed: ["token"]) {
      value in
      "credentials \"h.example\" {\n  token = \"\(value("token"))\"\n}\ncredentials \"i.example\" {\n"
        + "  token = \"\(value("other"))\"\n  new = \"\(value("new"))\"\n}\n"
    },
    json(
      "terraform.json", .terraform, ["token", "new"], needed: ["token"], values: [:],
      #"{"credentials":{"h.example":{"#, "}}}"),
    Kind(
      name: "maven", format: .maven,
      fields: [
        "id", "username", "password", "passphrase", "Private-Token", "filePermissions", "nexus.token", "new",
      ],
      needed: ["id", "password"]
    ) { value in
      let parts = ["id", "username", "password", "passphrase", "filePermissions", "new"].map {
        "<\($0)>\(value($0))</\($0)>"
      }
      return
        "<settings><servers><server>\(parts.joined())<configuration><httpHeaders><property><name>Private-Token</name>"
        + "<value>\(value("Private-Token"))</value></property></httpHeaders></configuration></server></servers>"
        + "<profiles><profile><properties><nexus.token>\(value("nexus.token"))</nexus.token></properties></profile></profiles>"
        + "</settings>"
    },
    Kind(
      name: "maven's proxies", format: .maven,
      fields: ["id", "host", "username", "password", "nonProxyHosts"],
      needed: ["host", "password"]
    ) { value in
      let parts = ["id", "host", "username", "password", "nonProxyHosts"].map {
        "<\($0)>\(value($0))</\($0)>"
      }
      return "<settings><proxies><proxy>\(parts.joined())</proxy></proxies></settings>"
    },
    Kind(
      name: "nuget", format: .nuget,
      fields: ["Username", "ClearTextPassword", "Password", "ValidAuthenticationTypes", "new", "corp"],
      needed: ["Username", "ClearTextPassword"]
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
      [
        "type", "provider", "user", "access_key_id", "secret_access_key", "session_token", "client_id",
        "client_secret", "pass", "endpoint", "url", "token", "new",
      ], needed: ["type"],
      values: [
        "url": url, "token": #"{"access_token":"@","refresh_token":"@","new":"@"}"#, "type": "s3",
      ]),
    Kind(
      name: "gcm", format: .gcm, fields: ["password", "service", "account", "new"],
      needed: ["password", "service"]
    ) {
      value in
      "\(value("password"))\nservice=https://\(value("service")).example\naccount=\(value("account"))\nnew=\(value("new"))\n"
    },
    json(
      "composer", .composer, ["username", "password", "new"], needed: ["password"], values: [:],
      #"{"http-basic":{"h.example":{"#, "}}}"),
    json(
      "composer's consumers", .composer,
      ["consumer-key", "consumer-secret", "access-token", "access-token-expiration", "new"],
      needed: ["consumer-secret"], values: [:], #"{"bitbucket-oauth":{"bitbucket.org":{"#, "}}}"),
    json(
      "composer's tokens", .composer, ["token", "refresh-token", "expires-at", "username"], needed: ["token"],
      values: [:], #"{"gitlab-oauth":{"gitlab.com":{"#, "}}}"),
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
        "csv", columns.format, ["Name", "Url", "User", "Pass", "Info", "Kind", "Pin", "Colour"],
        needed: ["Name", "Pass"], values: ["Url": Self.url]))
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
