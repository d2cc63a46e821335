extension KnownService {
  /// The mail services. Their servers take a token as XOAUTH2 or OAUTHBEARER, and one token is good for all servers of
  /// a service that its scopes allow.
  static let ofMail = [gmail, outlook, yahoo, aol, fastmail]

  private static let gmail = KnownService(
    name: "Gmail", provider: "gmail",
    hosts: ["imap", "smtp", "pop"].flatMap { ["\($0).gmail.com", "\($0).googlemail.com"] }, realm: nil,
    authorize: google.authorize, token: google.token,
    // Google doesn't allow this scope with a code.
    device: nil, revoke: google.revoke, builtInClient: nil, redirectURI: google.redirectURI,
    scope: "https://mail.google.com/", userName: nil, settingsPrefix: nil, registration: google.registration,
    choices: google.choices, needsSecret: true, isOfMail: true)

  private static let outlook = KnownService(
    name: "Outlook and Microsoft 365", provider: "outlook",
    hosts: [
      "outlook.office365.com", "smtp.office365.com", "smtp-mail.outlook.com", "imap-mail.outlook.com",
      "pop-mail.outlook.com",
    ], authorize: "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
    token: "https://login.microsoftonline.com/common/oauth2/v2.0/token",
    device: "https://login.microsoftonline.com/common/oauth2/v2.0/devicecode",
    redirectURI: azureDevOps.redirectURI,
    scope: "https://outlook.office.com/IMAP.AccessAsUser.All https://outlook.office.com/POP.AccessAsUser.All "
      + "https://outlook.office.com/SMTP.Send offline_access", registration: azureDevOps.registration,
    choices: azureDevOps.choices, needsSecret: false, isOfMail: true)

  private static let yahoo = ofYahoo("Yahoo Mail", "yahoo", "yahoo.com", servers: "mail.yahoo.com")
  private static let aol = ofYahoo("AOL Mail", "aol", "aol.com", servers: "aol.com")

  private static func ofYahoo(
    _ name: String, _ provider: String, _ domain: String, servers: String
  ) -> KnownService {
    KnownService(
      name: name, provider: provider, hosts: ["imap", "smtp", "pop"].map { "\($0).\(servers)" },
      authorize: "https://api.login.\(domain)/oauth2/request_auth",
      token: "https://api.login.\(domain)/oauth2/get_token", redirectURI: "http://localhost", scope: "mail-w",
      registration: "https://developer.yahoo.com/apps/",
      choices: "ask for access to mail, which Yahoo grants by hand", needsSecret: true, isOfMail: true)
  }

  private static let fastmail = KnownService(
    name: "Fastmail", provider: "fastmail", hosts: ["imap", "smtp", "pop"].map { "\($0).fastmail.com" },
    authorize: "https://api.fastmail.com/oauth/authorize", token: "https://api.fastmail.com/oauth/refresh",
    revoke: "https://api.fastmail.com/oauth/revoke",
    scope: ["imap", "pop", "smtp"].map { "https://www.fastmail.com/dev/protocol-\($0)" }.joined(
      separator: " "), registration: "https://www.fastmail.com/dev/",
    choices: "write to Fastmail, which registers clients by hand", needsSecret: false, isOfMail: true)
}
