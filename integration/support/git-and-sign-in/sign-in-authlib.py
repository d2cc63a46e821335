#!/usr/bin/env python3
"""Authlib as an authorization server on loopback, for tests: sign-in-authlib.py FOLDER --tls PREFIX.

sign_in_server.py says what is in FOLDER. Its metadata names all endpoints. The clients are those of sign-in-django.py.
All need PKCE, with S256 and a verifier as in RFC 7636; each authorization response has `iss`, also those with an error;
a job whose token is a line of FOLDER/jobs gets tokens for it, as client `job` or `ci`, for the audience `forge` or that
of --audience (RFC 8693); a device that asks before its interval is over is told `slow_down`, and has to wait five seconds
longer from then on. A refresh gives no new refresh token, unless with --rotate. A person says yes or no by POST of
`action`, accept or deny.
"""

import os
import secrets
import threading
import time
from collections import namedtuple

from sign_in_server import WSGIPeer, argument_parser, bind, run

import flask
from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2 import OAuth2Error
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin, grants, list_to_scope, scope_to_list
from authlib.oauth2.rfc6749.errors import InvalidGrantError, InvalidRequestError, UnauthorizedClientError
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc8628 import DeviceAuthorizationEndpoint, DeviceCodeGrant, DeviceCredentialDict
from authlib.oauth2.rfc9207 import IssuerParameter

DEVICE = DeviceCodeGrant.GRANT_TYPE
EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
SCOPES = {"read", "write"}
User = namedtuple("User", "name")
ADA = User("ada")


class Client(ClientMixin):
    def __init__(self, client_id, secret="", redirect_uri=None, grant_types=()):
        self.client_id, self.secret, self.redirect_uri = client_id, secret, redirect_uri
        self.grant_types = {*grant_types, "refresh_token"}

    def get_client_id(self):
        return self.client_id

    def get_default_redirect_uri(self):
        return self.redirect_uri

    def get_allowed_scope(self, scope):
        return list_to_scope([each for each in scope_to_list(scope) or [] if each in SCOPES])

    def check_redirect_uri(self, redirect_uri):
        """As registered, or with any port, as RFC 8252 says."""
        if redirect_uri == self.redirect_uri:
            return True
        host, _, port = redirect_uri.rpartition(":")
        return self.redirect_uri is not None and host == self.redirect_uri and port.isdigit()

    def check_client_secret(self, client_secret):
        return secrets.compare_digest(self.secret, client_secret)

    def check_endpoint_auth_method(self, method, endpoint):
        return (method == "none") == (not self.secret)

    def check_response_type(self, response_type):
        return response_type == "code" and "authorization_code" in self.grant_types

    def check_grant_type(self, grant_type):
        return grant_type in self.grant_types


class Code:
    def __init__(self, client_id, request):
        data = request.payload.data
        self.client_id, self.user = client_id, request.user
        self.redirect_uri, self.scope = request.payload.redirect_uri, request.payload.scope
        self.code_challenge, self.code_challenge_method = data.get("code_challenge"), data.get("code_challenge_method")

    def get_redirect_uri(self):
        return self.redirect_uri

    def get_scope(self):
        return self.scope


class Token(TokenMixin):
    def __init__(self, client_id, user, answer):
        self.client_id, self.user, self.scope = client_id, user, answer.get("scope") or ""
        self.access_token, self.refresh_token = answer["access_token"], answer.get("refresh_token")
        self.expires_at = time.time() + answer["expires_in"]
        self.revoked = False

    def check_client(self, client):
        return client.get_client_id() == self.client_id

    def get_scope(self):
        return self.scope

    def get_client(self):
        return CLIENTS[self.client_id]

    def get_user(self):
        return self.user


CLIENTS = {
    client.client_id: client
    for client in (
        Client("web", "", "http://127.0.0.1", ["authorization_code"]),
        Client("secret", "hush:hush", "http://127.0.0.1", ["authorization_code"]),
        Client("device", grant_types=[DEVICE]),
        Client("job", grant_types=[EXCHANGE]),
        Client("ci", grant_types=[EXCHANGE]),
    )
}
codes, access, refresh, devices, decisions, polls = {}, {}, {}, {}, {}, {}
server_lock = threading.RLock()
options = None


def origin():
    return flask.request.host_url.rstrip("/")


class StrictChallenge(CodeChallenge):
    SUPPORTED_CODE_CHALLENGE_METHOD = ["S256"]

    def validate_code_challenge(self, grant, redirect_uri):
        if grant.request.payload.data.get("code_challenge_method") != "S256":
            raise InvalidRequestError("S256 is needed", redirect_uri=redirect_uri, state=grant.request.payload.state)
        super().validate_code_challenge(grant, redirect_uri)


class AuthorizationCode(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post"]

    def save_authorization_code(self, code, request):
        codes[code] = Code(request.client.get_client_id(), request)

    def query_authorization_code(self, code, client):
        found = codes.get(code)
        return found if found and found.client_id == client.get_client_id() else None

    def delete_authorization_code(self, authorization_code):
        for code, each in list(codes.items()):
            if each is authorization_code:
                del codes[code]

    def authenticate_user(self, authorization_code):
        return authorization_code.user


class Refresh(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post"]

    def authenticate_refresh_token(self, refresh_token):
        found = refresh.get(refresh_token)
        return found if found and not found.revoked else None

    def authenticate_user(self, refresh_token):
        return refresh_token.user

    def revoke_old_credential(self, refresh_token):
        if options.rotate:
            refresh_token.revoked = True


class Device(DeviceCodeGrant):
    def query_device_credential(self, device_code):
        return devices.get(device_code)

    def query_user_grant(self, user_code):
        return decisions.get(user_code)

    def should_slow_down(self, credential):
        code, now = credential["device_code"], time.monotonic()
        before, interval = polls.get(code, (None, credential["interval"]))
        # Clocks and networks may make an honest client a little early.
        too_early = before is not None and now - before < interval - 0.1
        polls[code] = now, interval + (5 if too_early else 0)
        return too_early


class DeviceAuthorization(DeviceAuthorizationEndpoint):
    def get_verification_uri(self):
        return origin() + "/device"

    def save_device_credential(self, client_id, scope, data):
        expires_at = time.time() + data["expires_in"]
        devices[data["device_code"]] = DeviceCredentialDict(
            client_id=client_id, scope=scope or "", expires_at=expires_at, **data
        )


class Exchange(grants.BaseGrant, grants.TokenEndpointMixin):
    GRANT_TYPE = EXCHANGE
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

    def validate_token_request(self):
        client = self.authenticate_token_endpoint_client()
        if not client.check_grant_type(EXCHANGE):
            raise UnauthorizedClientError()
        data = self.request.payload.data
        if data.get("subject_token_type") != "urn:ietf:params:oauth:token-type:jwt" or data.get("audience") != options.audience:
            raise InvalidRequestError("the type of the token, or its audience")
        with open(os.path.join(options.folder, "jobs"), encoding="utf-8") as jobs:
            if data.get("subject_token") not in jobs.read().splitlines():
                raise InvalidGrantError("no such job")
        self.request.client, self.request.user = client, ADA

    def create_token_response(self):
        scope = self.request.client.get_allowed_scope(self.request.payload.data.get("scope"))
        token = self.generate_token(user=ADA, scope=scope, include_refresh_token=False)
        token["issued_token_type"] = "urn:ietf:params:oauth:token-type:access_token"
        self.save_token(token)
        return 200, token, self.TOKEN_RESPONSE_HEADER


class Revocation(RevocationEndpoint):
    CLIENT_AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post"]

    def query_token(self, token_string, token_type_hint):
        return access.get(token_string) or refresh.get(token_string)

    def revoke_token(self, token, request):
        token.revoked = True


class Issuer(IssuerParameter):
    def get_issuer(self):
        return origin()


def save_token(answer, request):
    token = Token(request.client.get_client_id(), request.user, answer)
    access[token.access_token] = token
    if token.refresh_token:
        refresh[token.refresh_token] = token


def end_tokens():
    for each in access.values():
        each.expires_at = 0


def application():
    app = flask.Flask(__name__)
    app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
    app.config["OAUTH2_SCOPES_SUPPORTED"] = sorted(SCOPES)
    life = options.token_life
    app.config["OAUTH2_TOKEN_EXPIRES_IN"] = {"authorization_code": life, "refresh_token": life, DEVICE: life, EXCHANGE: life}
    authorization = AuthorizationServer(app, query_client=CLIENTS.get, save_token=save_token)
    Refresh.INCLUDE_NEW_REFRESH_TOKEN = options.rotate
    DeviceAuthorization.EXPIRES_IN, DeviceAuthorization.INTERVAL = options.device_life, 1
    authorization.register_grant(AuthorizationCode, [StrictChallenge(required=True)])
    authorization.register_grant(Refresh)
    authorization.register_grant(Device)
    authorization.register_grant(Exchange)
    authorization.register_endpoint(DeviceAuthorization)
    authorization.register_endpoint(Revocation)
    authorization.register_extension(Issuer())

    @app.get("/.well-known/oauth-authorization-server")
    def metadata():
        return {
            "issuer": origin(),
            "authorization_endpoint": origin() + "/authorize",
            "token_endpoint": origin() + "/token",
            "device_authorization_endpoint": origin() + "/device_authorization",
            "revocation_endpoint": origin() + "/revoke",
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token", DEVICE],
            "scopes_supported": sorted(SCOPES),
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post"],
            "authorization_response_iss_parameter_supported": True,
        }

    @app.route("/authorize", methods=["GET", "POST"])
    def authorize():
        try:
            grant = authorization.get_consent_grant(end_user=ADA)
        except OAuth2Error as error:
            response = authorization.handle_error_response(authorization.create_oauth2_request(flask.request), error)
            # Authlib itself adds it only to what comes after this.
            Issuer().add_issuer_parameter(authorization, response)
            return response
        if flask.request.method == "GET":
            return "<!DOCTYPE html><form method=post><button name=action value=accept>Yes</button></form>"
        consents = flask.request.form.get("action") == "accept"
        return authorization.create_authorization_response(grant=grant, grant_user=ADA if consents else None)

    @app.post("/token")
    def token():
        with server_lock:
            return authorization.create_token_response()

    @app.post("/device_authorization")
    def device_authorization():
        return authorization.create_endpoint_response("device_authorization")

    @app.post("/revoke")
    def revoke():
        return authorization.create_endpoint_response("revocation")

    @app.post("/device/")
    def device():
        code = flask.request.form.get("user_code")
        if not any(each["user_code"] == code for each in devices.values()):
            return "no such code\n", 404
        decisions[code] = ADA, flask.request.form.get("action") == "accept"
        return "done\n"

    @app.post("/control/expire")
    def expire():
        end_tokens()
        return {}

    @app.post("/control/device-life")
    def device_life():
        DeviceAuthorization.EXPIRES_IN = int(flask.request.form["seconds"])
        return {}

    return app


class Authlib(WSGIPeer):
    kinds = {
        "/authorize": "authorize",
        "/token": "token",
        "/device_authorization": "device",
        "/device": "verify",
        "/revoke": "revoke",
        "/control": "control",
    }

    def end_tokens(self):
        end_tokens()

    def admits(self, token):
        found = access.get(token)
        return found is not None and not found.revoked and found.expires_at > time.time()


def main():
    global options
    parser = argument_parser(__doc__)
    parser.add_argument("--audience", default="forge", help="what a job's token has to be exchanged for")
    parser.add_argument("--rotate", action="store_true", help="give a new refresh token each time, and revoke the old one")
    parser.add_argument("--device-life", type=int, default=600, metavar="SECONDS", help="of device codes")
    options = parser.parse_args()
    server = bind(Authlib, options)
    Authlib.application = application().wsgi_app
    run(server)


if __name__ == "__main__":
    main()
