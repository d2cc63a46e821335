import CredentialProtocols
import Keychain
import SignIn
import ToolCommands

/// The page where a person makes a token by hand, for services that git can log in to with one.
struct TokenPage {
  private let service: String
  private let rights: String
  private let page: String

  /// `nil` for another place than a known service's, or one that knows no such tokens.
  init?(for key: Item.Key) {
    guard case .internetPassword(let key) = key, key.securityDomain == nil, let url = key.url(),
      let place = SignInPlace(url), let service = KnownService.at(place), let rights = service.tokenRights,
      let page = service.tokenPage(at: place)
    else { return nil }
    self.service = service.name
    self.rights = rights
    self.page = page.text
  }

  /// Says where to make a token, and opens that page if the person wants it.
  func show(on terminal: borrowing Terminal) {
    terminal.show(
      "\(service) takes a token in place of a password. Make one here, with the rights \(rights):\n  \(page)\n"
    )
    if BrowserProgram.isThere, terminal.confirms("Open this page in your browser?"),
      !BrowserProgram.open(page)
    {
      terminal.show("No browser was found.\n")
    }
  }
}
