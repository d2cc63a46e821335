extension HelpTopic {
  static let gitHub = HelpTopic(
    name: "github", summary: "GitHub: tokens, accounts, apps, packages",
    text: """
      A TOKEN

      If gh has a token already, take that:

          llavero setup git
          llavero import gh

      Or make one. This says which rights it needs, and where to make it:

          llavero add https://github.com --account alice

      Or sign in. First register an app of yours, as 'llavero login --list' says:

          git config --global credential.https://github.com.oauthClientId ID
          llavero login https://github.com --device

      SEVERAL ACCOUNTS

          llavero add https://github.com --account alice2
          llavero default https://github.com --account alice
          git config --global credential.https://github.com/acme.username alice2

      MACHINES

      A GitHub App gives tokens of an hour; git has to say for which organisation:

          llavero add https://github.com/acme --github-app 12345 --key app.pem
          git config --global credential.https://github.com.useHttpPath true

      PACKAGES

      They take only a classic token with the right read:packages. For ghcr.io:

          llavero setup docker
          llavero add https://ghcr.io --account alice --domain docker

      For npm, whose .npmrc has //npm.pkg.github.com/:_authToken=${NPM_TOKEN}:

          llavero add --service npm:npm.pkg.github.com
          llavero run --env NPM_TOKEN=llavero://npm:npm.pkg.github.com -- npm ci

      """)
}
