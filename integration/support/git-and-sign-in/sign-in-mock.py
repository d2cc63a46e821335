#!/usr/bin/env python3
"""oidc-provider-mock as an authorization server on loopback, for tests: sign-in-mock.py FOLDER --tls PREFIX.

sign_in_server.py says what is in FOLDER. Clients register by POST of JSON to /oauth2/clients and get a secret, which goes
into Basic unless token_endpoint_auth_method is client_secret_post; the redirect URI has to be equal, port included, and has
a path. There is no PKCE, no device and no `iss`; a refresh gives no new refresh token; access_denied comes without the
state. The metadata is at /.well-known/openid-configuration.
"""

from datetime import timedelta

from sign_in_server import WSGIPeer, argument_parser, bind, run

import oidc_provider_mock


class Mock(WSGIPeer):
    kinds = {"/oauth2/authorize": "authorize", "/oauth2/token": "token", "/oauth2/clients": "control"}
    app = None

    def admits(self, token):
        answer = self.app.test_client().get("/userinfo", headers={"Authorization": "Bearer " + token})
        return answer.status_code == 200


def main():
    options = argument_parser(__doc__).parse_args()
    server = bind(Mock, options)
    Mock.app = oidc_provider_mock.app(
        require_client_registration=True, access_token_max_age=timedelta(seconds=options.token_life)
    )
    Mock.application = Mock.app.wsgi_app
    run(server)


if __name__ == "__main__":
    main()
