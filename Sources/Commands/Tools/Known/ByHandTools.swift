extension KnownTool {
  /// The tools that are set up by hand: with secrets from 'llavero run' and the like, or as their pages describe.
  static let byHand = [
    KnownTool(
      name: "summon", speaks: "summon", page: "llavero-vault-client(1)",
      recipes: [
        "summon": """
            llavero add --service db --account app
            export SUMMON_PROVIDER="$(command -v llavero-summon)"

        In secrets.yml:

            DB_PASSWORD: !var db/app

        The program that summon starts has the secret in that variable:

            summon ./server
        """
      ]),
    KnownTool(
      name: "npm", imports: ["npm"], page: "llavero-run(1)",
      recipes: [
        "npm": #"""
        npm asks no program for its token, but takes it from a variable. Store it:

            llavero add --service npm

        Then run npm with the token of the registry:

            llavero run \
              --env 'npm_config_//registry.npmjs.org/:_authToken=llavero://npm' -- \
              npm whoami

        npm prints your name. Of several tokens this takes the one changed last;
        llavero://npm/NAME takes that of the account NAME. Where it has to be in
        a file, as for yarn:

        In .npmrc:

            //registry.npmjs.org/:_authToken=${NPM_TOKEN}

        Anybody may read that. npm gets the token only when it is run so:

            llavero run --env NPM_TOKEN=llavero://npm -- npm whoami
        """#
      ]),
    KnownTool(
      name: "maven", imports: ["maven"], page: "llavero-run(1)", programs: ["mvn"],
      recipes: [
        "maven": #"""
            llavero add https://maven.example --account alice

        In ~/.m2/settings.xml, for the repository with the id corp in your pom.xml:

            <settings>
              <servers>
                <server>
                  <id>corp</id>
                  <username>alice</username>
                  <password>${env.CORP_PASSWORD}</password>
                </server>
              </servers>
            </settings>

        Anybody may read that. Run Maven with the variable:

            llavero run --env CORP_PASSWORD=llavero+https://alice@maven.example -- \
              mvn -B verify

        Maven logs in to the repository as alice. Without the variable the repository
        refuses it.
        """#
      ]),
    KnownTool(
      name: "gradle", imports: ["gradle"], page: "llavero-run(1)",
      recipes: [
        "gradle": #"""
            llavero add https://maven.example --account alice

        In build.gradle:

            repositories {
              maven {
                url 'https://maven.example'
                credentials {
                  username 'alice'
                  password findProperty('corp')
                }
              }
            }

        Run Gradle with that property as a variable:

            llavero run \
              --env ORG_GRADLE_PROJECT_corp=llavero+https://alice@maven.example -- \
              gradle --no-daemon build

        Gradle logs in to the repository as alice. A daemon would keep the password in
        its memory.
        """#
      ]),
    KnownTool(
      name: "composer", imports: ["composer"], page: "llavero-run(1)",
      recipes: [
        "composer": #"""
            llavero add https://composer.example --account alice
            llavero run --env 'COMPOSER_AUTH={"http-basic": {"composer.example": {
              "username": "alice",
              "password": "${llavero+https://alice@composer.example}"}}}' -- \
              composer install

        Composer logs in to the repository as alice. In Composer 2.5 an auth.json beside
        composer.json comes first. A password with a quote or a backslash can't be
        written so.
        """#
      ]),
    KnownTool(
      name: "nuget", imports: ["nuget"], page: "llavero-run(1)", programs: ["dotnet"],
      recipes: [
        "nuget": #"""
            llavero add https://nuget.example --account alice

        For the source that nuget.config calls corp:

            corp='Username=alice;Password=${llavero+https://alice@nuget.example}'
            llavero run --env "NuGetPackageSourceCredentials_corp=$corp" -- \
              dotnet restore

        dotnet logs in to the source as alice.
        """#
      ]),
    KnownTool(
      name: "rclone", imports: ["rclone"], page: "llavero-run(1)",
      recipes: [
        "rclone": #"""
            llavero add https://cloud.example --account alice
            rclone config create cloud webdav \
              url=https://cloud.example vendor=other user=alice
            llavero run --env PASS=llavero+https://alice@cloud.example -- sh -c \
              'RCLONE_CONFIG_CLOUD_PASS=$(printf %s "$PASS" | rclone obscure -) \
              exec rclone lsd cloud:'

        rclone logs in as alice, and its file has no password. It wants passwords
        obscured, and takes keys, such as RCLONE_CONFIG_S3_SECRET_ACCESS_KEY, as
        they are.
        """#
      ]),
    KnownTool(
      name: "psql", imports: ["pgpass"], page: "llavero-run(1)", programs: ["pg_dump"],
      recipes: [
        "psql": #"""
            llavero add postgresql://db.example --account app
            llavero run --env PGPASSWORD=llavero+postgresql://app@db.example -- \
              psql -h db.example -U app -d postgres -c 'select current_user'

        psql prints app. pg_dump and every other program of PostgreSQL do the same.
        """#
      ]),
    KnownTool(
      name: "mysql", imports: ["mysql"], page: "llavero-inject(1)", programs: ["mysqldump", "mariadb"],
      recipes: [
        "mysql": #"""
            llavero add mysql://db.example --account app

        In my.cnf.in:

            [client]
            user=app
            password="${llavero+mysql://app@db.example}"

        Anybody may read that. llavero fills it for the one run:

            llavero inject my.cnf.in -- sh -c \
              'mysql --defaults-extra-file="$INJECTED" -h db.example -e "select user()"'

        mysql prints app and the host. mysqldump and MariaDB's programs do the same.
        """#
      ]),
    KnownTool(
      name: "restic", page: "llavero-vault-client(1)",
      recipes: [
        "restic": """
            llavero add --service restic:backup
            export RESTIC_PASSWORD_COMMAND='llavero get --service restic:backup'
            restic -r /srv/backup init
            restic -r /srv/backup snapshots

        restic asks llavero for the repository's password, and you for nothing.
        """
      ]),
    KnownTool(
      name: "borg", page: "llavero-vault-client(1)",
      recipes: [
        "borg": """
            llavero add --service borg:backup
            export BORG_PASSCOMMAND='llavero get --service borg:backup'
            borg init --encryption repokey /srv/backup
            borg list /srv/backup

        borg asks llavero for the repository's passphrase, and you for nothing.
        """
      ]),
    KnownTool(
      name: "msmtp", page: "llavero-login(1)",
      recipes: [
        "msmtp": #"""
        'llavero login --list' says where you register a client at your service. Then:

            git config --global credential.gmail.com.oauthClientId ID
            git config --global credential.gmail.com.oauthClientSecret SECRET
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
        """#
      ]),
    KnownTool(
      name: "mbsync", page: "llavero-login(1)", programs: ["isync"],
      recipes: [
        "mbsync": """
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
        """
      ]),
    KnownTool(
      name: "netrc", speaks: "netrc", page: "llavero-run(1)",
      recipes: [
        "curl": #"""
            llavero add https://files.example --account alice
            llavero run --netrc-file -- sh -c \
              'curl --netrc-file "$NETRC" https://files.example/private'

        curl prints the file. Every program that reads a netrc file can log in like
        this; go, pip and others find it by the variable NETRC.
        """#
      ]),
  ]
}
