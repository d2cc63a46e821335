/// The last page that a person sees. It runs nothing, loads nothing, and repeats no input.
struct AnswerPage {
  let response: String

  static let signedIn = AnswerPage(
    200, "You are signed in",
    "You can close this page and go back to your terminal.")

  /// Shown while the terminal goes on with what the browser brought.
  static let received = AnswerPage(
    200, "Go back to your terminal", "It says whether you are logged in. You can close this page.")

  static let refused = AnswerPage(
    200, "You are not signed in", "The service said no. You can close this page; your terminal says more.")

  static let failed = AnswerPage(
    200, "Signing in did not work", "You can close this page; your terminal says what went wrong.")

  /// For a request that doesn't come from signing in.
  static func status(_ status: Int) -> AnswerPage {
    AnswerPage(
      status, "This is not the page",
      "llavero is waiting for the page on which you sign in. You can close this one.")
  }

  private static let reasons = [
    200: "OK", 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout",
    411: "Length Required", 413: "Content Too Large", 415: "Unsupported Media Type",
    431: "Request Header Fields Too Large", 503: "Service Unavailable",
  ]

  private init(_ status: Int, _ title: String, _ text: String) {
    let page = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width">
      <title>\(title)</title>
      <style>
      :root { color-scheme: light dark }
      body { font: 18px/1.5 system-ui, sans-serif; max-width: 32em; margin: 15vh auto; padding: 0 1em }
      h1 { font-size: 1.5em }
      </style>
      </head>
      <body>
      <h1>\(title)</h1>
      <p>\(text)</p>
      </body>
      </html>

      """
    response =
      [
        "HTTP/1.1 \(status) \(Self.reasons[status] ?? "Error")", "Content-Type: text/html; charset=utf-8",
        "Content-Length: \(page.utf8.count)", "Cache-Control: no-store", "Referrer-Policy: no-referrer",
        "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        "X-Content-Type-Options: nosniff", "Connection: close",
      ].joined(separator: "\r\n") + "\r\n\r\n" + page
  }
}
