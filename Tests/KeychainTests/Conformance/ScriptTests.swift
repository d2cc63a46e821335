import TestSupport
import Testing

extension ConformanceTests {
  static let erasing = [
    KeychainScript(
      "erase keeps a newer password", "add alice@ new; marks; erase alice@ old = 0; same; get @ = new"),
    KeychainScript(
      "erase removes what holds the refused password",
      "add alice@ x; add bob@ x; add carol@ y; erase alice@ x = 1; rest = bob@ carol@; erase @ x = 1; rest = carol@"
    ),
    KeychainScript(
      "erase of an empty password removes only empty ones",
      "add alice@ x; add bob@ ''; erase @ '' = 1; rest = alice@"),
    KeychainScript(
      "erase without a password removes every account of the place",
      """
      add @ x; add ''@ x; add alice@ x; add bob@ x; add alice@/acme y; add @example.org x; add @:8443 x; add http:@ x
      add generic:example.com x; erase @ = 5; rest = @:8443 @example.org generic:example.com http:@
      """),
    KeychainScript(
      "erase of one account leaves the others",
      """
      add alice@ x; add bob@ x; add ''@ x; add @ x; erase alice@ = 1; rest = ''@ @ bob@; erase ''@ = 1; rest = @ bob@
      """),
    KeychainScript(
      "erase with a path but no password removes only that very path",
      """
      add alice@/acme/app x; add alice@/acme x; add alice@/acme/app/x x; add alice@ x; erase @/acme/app = 1
      rest = alice@ alice@/acme alice@/acme/app/x; erase @/acme/other = 0; rest = alice@ alice@/acme alice@/acme/app/x
      """),
    KeychainScript(
      "erase with a path and a password removes the shorter path that answered",
      """
      add alice@/acme x; add alice@/acme/app/x x; add alice@/acmeister x; add alice@ y; erase @/acme/app x = 1
      rest = alice@ alice@/acme/app/x alice@/acmeister
      """),
    KeychainScript(
      "of several that hold the refused password, the one that answered goes alone",
      "add alice@ x; add bob@ x; add carol@ x; erase @ x answered bob@ = 1; rest = alice@ carol@"),
    KeychainScript(
      "an answered item that holds another password by now stays",
      "add alice@ new; erase @ old answered alice@ = 0; rest = alice@"),
    KeychainScript(
      "an answered item of another place stays",
      "add @example.org x; erase @ x answered @example.org = 0; rest = @example.org"),
    KeychainScript(
      "erase for a tool leaves what it shares, and erase for git what tools keep",
      """
      add alice@ x; add alice@#cargo x; add alice@#docker x; erase @#pip x = 0; erase @#pip = 0; erase @#docker x = 1
      rest = alice@ alice@#cargo; add alice@#docker x; erase @#docker = 1; rest = alice@ alice@#cargo; erase @ = 1
      rest = alice@#cargo
      """),
    KeychainScript("an expired item is erased too", "add alice@ x~1; erase @ x = 1; rest = "),
    KeychainScript("erase from an empty keychain makes nothing", "erase @ = 0; erase @ x = 0; unwritten"),
    KeychainScript(
      "a service's accounts are erased likewise",
      """
      add generic:aws:x,a 1; add generic:aws:x,b 2; add generic:aws:y 2; erase generic:aws:x 2 = 1
      rest = generic:aws:x,a generic:aws:y; erase generic:aws:x = 1; rest = generic:aws:y
      """),
    KeychainScript(
      "an expired secret is erased by its value",
      "add alice@ old~1; erase alice@ refused = 0; erase alice@ old = 1; rest = "),
  ]

  static let deleting = [
    KeychainScript(
      "only what was named is deleted",
      "add alice@ a; add bob@ b; add generic:aws:x c; delete alice@ generic:aws:x = 2; rest = bob@; get @ = b"
    ),
    KeychainScript(
      "deleting what is gone, or has no name, deletes nothing and is no error",
      """
      add alice@ a; add bob@ b; delete alice@ alice@ = 1; marks; delete alice@ = 0; delete = 0; delete @ = 0; same
      rest = bob@
      """),
    KeychainScript(
      "of several items, those that another process has deleted already don't count",
      "add alice@ a; add bob@ b; other delete alice@ = 1; delete alice@ bob@ = 1; delete alice@ bob@ = 0; rest = "
    ),
    KeychainScript(
      "a keychain can be emptied and filled again", "add @ a; delete @ = 1; rest = ; add @ b; get @ = b"),
  ]

  static let moving = [
    KeychainScript(
      "an item can move to another key, and keeps its reference",
      """
      add alice@ x; move alice@ generic:tool:key,alice; find @ = ; find generic:tool:key = alice; holds alice@ = x
      rest = alice@; move alice@ @aaa.example y; get @aaa.example = y; count = 1
      """),
    KeychainScript(
      "an item is known by its reference after somebody moved it",
      "add alice@ x; add carol@ z; move alice@ bob@; holds alice@ = x; delete alice@ = 1; find @ = carol"),
    KeychainScript(
      "a chain of items can move along it in one change",
      """
      add a@a.example first; add a@b.example second
      together move a@b.example a@c.example , move a@a.example a@b.example; find @a.example = ; get @b.example = first
      get @c.example = second
      """),
    KeychainScript(
      "where one of several items can't have its new key, none has changed",
      """
      add a@a.example first; add a@b.example second; marks
      together move a@a.example a@c.example , move a@b.example a@c.example ! duplicateItem; same
      """),
    KeychainScript(
      "an item can take another spelling of its own key",
      "add a@ x; move a@ HTTPS:a@Example.COM:443; find @ = a; rest = a@"),
    KeychainScript(
      "all changes of a body are written at once",
      "add alice@ a; marks; together add bob@ b , change alice@ c; writes 1; count = 2; get bob@ = b; get alice@ = c"
    ),
    KeychainScript(
      "a body that throws has changed nothing",
      """
      add alice@ a; add carol@ c; marks; later 9
      together add bob@ b , change alice@ changed , delete carol@ , secrets bob@ is b , throw ! unavailable; same
      other add dave@ d; count = 3
      """),
    KeychainScript(
      "a body sees its own changes",
      "together add alice@ a , secrets @ is a , change alice@ b , secrets @ is b , delete alice@ , listed @ is"
    ),
    KeychainScript(
      "a body within a body belongs to the outer one",
      """
      marks; together add alice@ a , inner add bob@ b; writes 1; count = 2; get alice@ = a; get bob@ = b; marks
      together inner add carol@ c , throw ! unavailable; same
      """),
    KeychainScript(
      "an inner body that throws has changed nothing, even where the outer goes on",
      """
      together add alice@ a , inner add bob@ b & change alice@ changed & throw fails unavailable; find @ = alice
      get @ = a
      """),
    KeychainScript(
      "a refused addition that is caught leaves the rest of the body",
      "together add alice@ a , add alice@ b fails duplicateItem , add bob@ b; count = 2; get alice@ = a"),
    KeychainScript(
      "a change of the secret drops what the new one lacks",
      "add alice@ old~4000000000+token^Bearer; change alice@ new; holds alice@ = new"),
    KeychainScript(
      "a body that throws on an empty keychain makes nothing",
      "together add @ a , throw ! unavailable; count = 0; unwritten"),
    KeychainScript(
      "a body that changes nothing writes nothing",
      "together find @; unwritten; add @ a; marks; together find @; same"),
  ]

  static let answering = [
    KeychainScript(
      "an empty keychain has nothing, and asking makes nothing",
      "listed @ = ; secrets @ = ; answer @ = nothing; count = 0; unwritten"),
    KeychainScript(
      "an item answers until the second of its expiry",
      "add @ x~1000; get @ 999999 = x; get @ 1000000 = nothing; get @ 1001000 = nothing"),
    KeychainScript(
      "an expired item is passed over for the next",
      "add alice@ a; later 1; add bob@ b~now; find @ = bob alice; get @ = a; get bob@ = nothing"),
    KeychainScript(
      "an expired item is neither changed nor deleted by asking", "add @ b~1; marks; get @ = nothing; same"),
    KeychainScript(
      "a ready-made credential is passed over for whoever wants a password",
      """
      add alice@ password; later 1; add bot@ token^Bearer; answer @ = alice@ password; answer bot@ = nothing
      answer-any @ = bot@ token^Bearer
      """),
    KeychainScript(
      "a path that leads out of the item's is not answered by it",
      """
      add alice@/acme x; answer @/acme/../evil/app.git = nothing; answer @/acme/app/../../evil = nothing
      answer @/acme/%2e%2E/evil = nothing; answer @/acme/..%2fevil = nothing; answer @/acme/.%2e = nothing
      answer @/acme/./app = nothing; answer @/acme/..\\evil = nothing; answer @/acme/.. = nothing
      answer @/acme/..app = alice@/acme x; answer @/acme/app.. = alice@/acme x; answer @/acme/... = alice@/acme x
      answer @/acme/a%2eb = alice@/acme x; answer @/acme/app.git = alice@/acme x
      """),
    KeychainScript(
      "without a refresh token, or with an empty one, an expired item gives nothing",
      "add alice@ x~1; add bob@ x~1+''; renew @ = nothing"),
  ]

  static let ranking = [
    KeychainScript(
      "of several accounts, the one added last goes first",
      "each b@ c@ a@; secrets @ = 2 1 0; find @ = a c b"),
    KeychainScript(
      "of several accounts, the one changed last goes first",
      "each b@ c@ a@; note b@ changed; secrets @ = 0 2 1"),
    KeychainScript(
      "a clock that was put back does not hide a later write",
      "each a@ b@; listed @ = b a; later -3600; add c@ 2; listed @ = c b a"),
    KeychainScript(
      "the path as it is goes before the same repository with or without .git",
      """
      each @/acme/app.git @/acme/app @/acme @; secrets @/acme/app = 1 0 2 3; secrets @/acme/app.git = 0 1 2 3
      secrets @/acme/app.git/info/lfs = 0 1 2 3
      """),
    KeychainScript(
      "the default item goes before newer ones",
      "each bob@ alice@! carol@; secrets @ = 1 2 0; find @ = alice carol bob"),
    KeychainScript(
      "the default of another account does not answer for a given one", "each alice@! bob@; secrets bob@ = 1"),
    KeychainScript(
      "the longest path goes first, before newer and default items",
      """
      each @/acme/app @/acme! @ @/acme/b; secrets @/acme/app/x = 0 1 2; secrets @/acme/other = 1 2; secrets @/else = 2
      """),
    KeychainScript(
      "asked without a path, an item without one goes first",
      "each @ @/acme! @/longer/path; secrets @ = 0 1 2"),
    KeychainScript(
      "a tool's own item goes before one that it may share",
      """
      each @#docker @#cargo @/acme! @; secrets @/acme#docker = 0 2 3; secrets @/acme = 2 3; secrets @/acme#pip = 2 3
      """),
    KeychainScript(
      "a service's accounts are ranked too",
      "each generic:aws:x,a generic:aws:x,b generic:aws:y; secrets generic:aws:x = 1 0"),
  ]

  static let saving = [
    KeychainScript(
      "save adds what is not there, and then changes nothing",
      "save alice@ x = added; marks; later 60; save alice@ x = unchanged; same"),
    KeychainScript(
      "save never touches another account, path, port, protocol or domain",
      """
      add bob@ old; add @ old; add ''@ old; add Alice@ old; add alice@/acme/app old; add alice@/acme old
      add alice@:8443 old; add http:alice@ old; add alice@#docker old; add alice@git.example.com old
      add alice@?form old; add generic:example.com,alice old; marks; later 60; save alice@ new = added; keeps
      count = 13; get alice@ = new
      """),
    KeychainScript(
      "save under a path changes only the item of that path",
      """
      add alice@ old; add alice@/acme old; add alice@/acme/app old; add alice@/acme/app/x old
      save alice@/acme/app new = updated; holds alice@/acme/app = new; holds alice@ = old; holds alice@/acme = old
      holds alice@/acme/app/x = old
      """),
    KeychainScript(
      "save writes nothing where a shorter path answers the same already",
      """
      add alice@/acme x; marks; save alice@/acme/app.git x = unchanged; same; save alice@/acme/app.git y = added
      get @/acme = x; get @/acme/app.git = y
      """),
    KeychainScript(
      "save for a tool writes nothing where the shared item answers the same",
      """
      add alice@ x; save alice@#docker x = unchanged; save alice@#docker y = added; get @ = x; get @#docker = y
      """),
    KeychainScript(
      "an expiry that a tool saves is never put on the shared item",
      """
      add alice@ x; marks; save alice@#docker x~late+docker's = added; keeps
      save alice@#docker x by 1795253340 = updated; keeps
      """),
    KeychainScript(
      "an expiry that is saved under a path is never put on a shorter path",
      "add alice@/acme x; marks; save alice@/acme/app x~late = added; keeps"),
    KeychainScript(
      "an empty account is not the same as none",
      "save ''@ x = added; save @ x = added; save ''@ '' = updated; get ''@ = ''; count = 2"),
    KeychainScript(
      "a password saved takes the place of a ready-made credential",
      """
      add alice@ x^Bearer; save alice@ x = updated; get @ = x; save alice@ x^Bearer = updated; get @ = nothing
      """),
    KeychainScript(
      "a renewed secret takes the place of the expired one",
      "add alice@ old~1+r; save alice@ new~soon+s = updated; holds alice@ = new~soon+s; count = 1"),
    KeychainScript(
      "a generic password is saved likewise",
      """
      save generic:aws:x,id 1 = added; save generic:aws:x,id 1 = unchanged; save generic:aws:x,id 2 = updated
      save generic:aws:x,other 2 = added
      """),
  ]

  /// The stored credential, the saved one, what comes of it and what is stored then.
  static let merging = [
    ("an expiry that is not given stays", "x~late", "x", "unchanged", "x~late"),
    ("an expiry that is given is set", "x", "x~late", "updated", "x~late"),
    ("a later expiry is taken", "x~soon", "x~late", "updated", "x~late"),
    ("an earlier expiry is taken", "x~late", "x~soon", "updated", "x~soon"),
    ("the same expiry writes nothing", "x~late", "x~late", "unchanged", "x~late"),
    ("a refresh token that is not given stays", "x+r", "x", "unchanged", "x+r"),
    ("a refresh token that is given is set", "x", "x+r", "updated", "x+r"),
    ("a refresh token that is given is replaced", "x~late+r", "x+s", "updated", "x~late+s"),
    ("an expiry alone keeps the refresh token", "x+r", "x~late", "updated", "x~late+r"),
    ("a new secret drops expiry and refresh token", "x~late+r", "y", "updated", "y"),
    ("a new secret brings its own", "x~late+r", "y~soon+s", "updated", "y~soon+s"),
    ("a limit is put on what has none", "x", "x by soon", "updated", "x~soon"),
    ("a limit is put before a later expiry", "x~late", "x by soon", "updated", "x~soon"),
    ("a limit never puts an expiry off", "x~soon", "x by late", "unchanged", "x~soon"),
    ("a limit bounds an expiry that is given", "x~soon", "x~later by late", "updated", "x~late"),
    ("a limit is put on a new secret", "x~soon", "y by late", "updated", "y~late"),
    ("a new secret's earlier expiry counts", "x", "y~soon by late", "updated", "y~soon"),
    ("a ready-made credential is merged alike", "x+r^Bearer", "x~late^Bearer", "updated", "x~late+r^Bearer"),
  ].map { name, before, saved, outcome, after in
    KeychainScript(
      name,
      """
      add alice@ \(before); marks; save alice@ \(saved) = \(outcome); holds alice@ = \(after); rest = alice@
      writes \(outcome == "unchanged" ? 0 : 1)
      """)
  }

  static let sameMoment = KeychainScript(
    "at the same moment, the later write goes first",
    "add b@ b; add c@ c; add a@ a; secrets @ = a c b; move c@ c@; secrets @ = c a b")

  static let renewing = [
    KeychainScript(
      "the answer is the best item with all that is confidential",
      "add alice@/acme x~later+r; answer @/acme/app = alice@/acme x~later+r"),
    KeychainScript(
      "an expired item gives its refresh token and no secret",
      """
      add alice@ x~now+r; marks; renew @ = renewed: alice@ ~now+r; renew alice@ = renewed: alice@ ~now+r
      renew bob@ = nothing; answer @ = nothing; same
      """),
    KeychainScript(
      "what is valid goes before what could be renewed",
      """
      add valid@ x; later 1; add expired@/acme y~1+r; find @/acme/app = expired valid; renew @/acme/app = valid@ x
      renew expired@/acme/app = renewed: expired@/acme ~1+r
      """),
    KeychainScript(
      "of several that could be renewed the best is",
      """
      add a@/acme x~1+1; later 1; add b@ x~1+2; later 1; add c@ x~1; renew @ = renewed: b@ ~1+2
      renew @/acme/app = renewed: a@/acme ~1+1
      """),
    KeychainScript(
      "only what can be used is renewed",
      "add bot@ t~1+r^Bearer; renew @ = nothing; renew-any @ = renewed: bot@ ~1+r"),
    KeychainScript(
      "an expired item is replaced", "add alice@ x~1+r; save alice@ x = updated; holds alice@ = x"),
    KeychainScript(
      "one that can be renewed stays", "add alice@ old~1+r; erase alice@ old = 1; holds alice@ = old~1+r"),
  ]

  static let scripts: [KeychainScript] = [erasing, deleting, moving, answering, ranking, saving, merging]
    .flatMap(\.self)

  @Test("every keychain: of which", arguments: KeychainUnderTest.all, scripts)
  func play(kind: KeychainUnderTest, script: KeychainScript) throws { try script.play(with: kind) }

  @Test("that gives refresh tokens: of which", arguments: KeychainUnderTest.givingRefreshTokens, renewing)
  func playRenewing(kind: KeychainUnderTest, script: KeychainScript) throws { try script.play(with: kind) }

  @Test("that tells two changes of a moment apart: of which", arguments: KeychainUnderTest.exact)
  func playSameMoment(kind: KeychainUnderTest) throws { try Self.sameMoment.play(with: kind) }
}
