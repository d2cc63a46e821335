extension KnownTool {
  static let msmtp = KnownTool(
    name: "msmtp", page: "llavero-login(1)",
    recipes: [
      ToolRecipe(
        name: "msmtp",
        text: #"""
          MSMTP

          'llavero login --list' says where you register a client at your service. Then:

              git config --global credential.gmail.com.oauthClientId ID
              llavero login smtp://smtp.gmail.com:587 --account you@gmail.com

          In ~/.msmtprc:

              account default
              host smtp.gmail.com
              port 587
              auth xoauth2
              tls on
              user you@gmail.com
              from you@gmail.com
              passwordeval llavero get smtp://smtp.gmail.com:587 --account you@gmail.com

          It sends, and llavero renews the token when it has expired:

              printf 'Subject: hello\n\nhello\n' | msmtp you@gmail.com

          Where a server takes passwords, 'llavero add' instead of 'llavero login' keeps
          one, and the line is: auth on

          """#)
    ])

  /// A token is good for all servers of its service.
  static let mbsync = KnownTool(
    name: "mbsync", page: "llavero-login(1)",
    recipes: [
      ToolRecipe(
        name: "mbsync",
        text: #"""
          MBSYNC

          The token of 'llavero help msmtp' is good for mbsync, too. Without it:

              llavero login imaps://imap.gmail.com --account you@gmail.com
              mkdir -p ~/Mail

          In ~/.mbsyncrc:

              IMAPStore gmail
              Host imap.gmail.com
              User you@gmail.com
              SSLType IMAPS
              AuthMechs XOAUTH2
              PassCmd "llavero get imaps://imap.gmail.com --account you@gmail.com"

              MaildirStore here
              Path ~/Mail/
              Inbox ~/Mail/INBOX

              Channel mail
              Far :gmail:
              Near :here:
              Create Near
              SyncState *

          mbsync needs XOAUTH2 for SASL: in Debian libsasl2-modules-kdexoauth2.

              mbsync mail

          """#)
    ])
}

extension ToolRecipe {
  static let sendEmail = ToolRecipe(
    name: "send-email",
    text: #"""
      SEND-EMAIL

      git send-email asks as git does ('llavero help git'), and llavero signs you in
      when it asks for the first time. Or do it before:

          llavero login smtp://smtp.gmail.com:587 --account you@gmail.com
          git config --global sendemail.smtpServer smtp.gmail.com
          git config --global sendemail.smtpServerPort 587
          git config --global sendemail.smtpEncryption tls
          git config --global sendemail.smtpUser you@gmail.com
          git config --global sendemail.smtpAuth XOAUTH2
          git send-email --to list@example.com HEAD^

      XOAUTH2 needs Authen::SASL 2.1800 or later for Perl; 2.16, as in Debian 12, is
      without.

      """#)
}
