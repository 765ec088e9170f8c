"""False secrets, and texts that only speak of secrets, for the tests of redaction.

Every secret is put together at run time, so that no scanner mistakes this file for a leak.
"""

from __future__ import annotations

import base64
import random
import string

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
_chance = random.Random(20)


def body(length: int, alphabet: str = ALNUM) -> str:
    """Random characters, with a digit and both cases where the alphabet has them."""
    while True:
        drawn = "".join(_chance.choices(alphabet, k=length))
        if not set(alphabet) >= set(ALNUM) or (
            any(c.isdigit() for c in drawn) and drawn.lower() != drawn != drawn.upper()
        ):
            return drawn


def encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def pem(kind: str, newline: str = "\n") -> str:
    dashes = "-" * 5
    lines = [body(64, ALNUM + "+/") for _ in range(4)] + [body(20) + "=="]
    return newline.join([f"{dashes}BEGIN {kind}{dashes}", *lines, f"{dashes}END {kind}{dashes}"])


JWT = ".".join([encoded('{"alg":"HS256","typ":"JWT"}'), encoded('{"sub":"1234567890","name":"A"}'), body(43)])
AWS_ID = "AKIA" + body(16, string.ascii_uppercase + string.digits)
AWS_LONG = "wJ4" + body(35) + "/+"
B64 = ALNUM + "+/"

# Each: the rule that names it, the secret, and a text around it ("{}" is the secret).
TOKENS: dict[str, list[str]] = {
    "aws-access-key": [AWS_ID, "ASIA" + body(16, string.ascii_uppercase + string.digits)],
    "github-token": [
        *("gh" + kind + "_" + body(36) for kind in "pousr"),
        "github" + "_pat_" + body(22) + "_" + body(59),
    ],
    "gitlab-token": [
        "glpat" + "-" + body(20),
        "glrt" + "-" + body(20),
        "glcbt" + "-64_" + body(20),
        "GR13" + "48941" + body(20),
    ],
    "slack-token": [
        "xoxb" + "-" + body(12, string.digits) + "-" + body(12, string.digits) + "-" + body(24),
        "xoxp" + "-" + body(11, string.digits) + "-" + body(11, string.digits) + "-" + body(32, HEX),
        "xapp" + "-1-A" + body(10) + "-" + body(13, string.digits) + "-" + body(64, HEX),
    ],
    "stripe-key": [
        "sk" + "_live_" + body(24),
        "rk" + "_live_" + body(24),
        "sk" + "_test_" + body(24),
        "whsec" + "_" + body(32),
    ],
    "google-api-key": ["AIza" + "Sy" + body(33)],
    "google-oauth": ["ya29" + ".a0" + body(60), "GOCSPX" + "-" + body(28), "1//0" + "g" + body(60)],
    "anthropic-key": ["sk" + "-ant-api03-" + body(93, ALNUM + "_-") + "AA", "sk" + "-ant-oat01-" + body(80)],
    "openai-key": [
        "sk" + "-" + body(20) + "T3Blbk" + "FJ" + body(20),
        "sk" + "-proj-" + body(40, ALNUM + "_-") + body(20) + "T3Blbk" + "FJ" + body(20),
        "sk" + "-" + body(48),
        "sk" + "-or-v1-" + body(64, HEX),
    ],
    "huggingface-token": ["hf" + "_" + body(34)],
    "npm-token": ["npm" + "_" + body(36)],
    "pypi-token": ["pypi" + "-AgEIcHlwaS5vcmc" + body(80), "pypi" + "-AgENdGVzdC5weXBpLm9yZw" + body(80)],
    "sendgrid-key": ["SG" + "." + body(22) + "." + body(43)],
    "twilio-key": ["SK" + body(32, HEX), "AC" + body(32, HEX)],
    "discord-token": [
        "MTk4" + body(20) + "." + body(6) + "." + body(27),
        "NzAx" + body(22) + "." + body(6) + "." + body(38),
    ],
    "mailchimp-key": [body(32, HEX) + "-us12"],
    "mailgun-key": ["key" + "-" + body(32, HEX)],
    "square-token": ["EAAA" + body(60), "sq0" + "csp-" + body(43), "sq0" + "atp-" + body(22)],
    "shopify-token": ["shpat" + "_" + body(32, HEX)],
    "digitalocean-token": ["dop" + "_v1_" + body(64, HEX)],
    "databricks-token": ["dapi" + body(32, HEX)],
    "vault-token": ["hvs" + "." + body(90)],
    "docker-token": ["dckr" + "_pat_" + body(27)],
    "grafana-token": ["glsa" + "_" + body(32) + "_" + body(8, HEX)],
    "sentry-token": ["sntrys" + "_" + body(60)],
    "atlassian-token": ["ATATT" + "3xFfGF0" + body(60)],
    "artifactory-token": ["AKC" + "p" + body(60)],
    "age-key": ["AGE-SECRET" + "-KEY-1" + body(58, string.ascii_uppercase + string.digits)],
    "service-token": [
        "gsk" + "_7" + body(50),
        "lin" + "_api_4" + body(38),
        "r8" + "_9" + body(36),
        "xai" + "-3" + body(78),
    ],
    "azure-client-secret": [body(3) + "8Q~" + body(34)],
    "jwt": [JWT],
}

PLACED: list[tuple[str, str, str]] = [
    ("telegram-token", ":".join([body(9, "123456789"), "{}"]), "AA" + body(33)),
    ("slack-webhook", "https://hooks.slack.com/services/{}", f"T{body(8)}/B{body(8)}/{body(24)}"),
    ("teams-webhook", "https://acme.webhook.office.com/{}", f"webhookb2/{body(36)}@{body(36)}/Incoming/{body(32)}"),
    ("discord-webhook", "https://discord.com/api/webhooks/81234567/{}", body(68)),
    ("aws-secret-key", 'aws_secret_access_key = "{}"', AWS_LONG),
    ("aws-secret-key", AWS_ID + ",{}", AWS_LONG),
    ("azure-key", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={};", body(86, B64) + "=="),
    ("azure-key", "https://a.blob.core.windows.net/c?sv=2022&sig={}", body(43) + "%3D"),
    ("signed-url", "https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature={}", body(64, HEX)),
    ("private-key", "{}", pem("RSA PRIVATE KEY")),
    ("private-key", "{}", pem("OPENSSH PRIVATE KEY")),
    ("private-key", "{}", pem("EC PRIVATE KEY")),
    ("private-key", "{}", pem("ENCRYPTED PRIVATE KEY")),
    ("private-key", "{}", pem("PGP PRIVATE KEY BLOCK")),
    ("private-key", '{{"type": "service_account", "private_key": "{}"}}', pem("PRIVATE KEY", "\\n")),
    ("private-key", "{}", pem("DSA PRIVATE KEY").rsplit("\n", 1)[0]),
    ("private-key", "{}", pem("RSA PRIVATE KEY").split("\n", 1)[1]),
    ("private-key", "{}", "PuTTY-User" + f"-Key-File-2: ssh-rsa\nEncryption: none\nPrivate-Lines: 1\n{body(64, B64)}"),
    ("connection-string", "postgres://app:{}@db.internal:5432/main", "pw"),
    ("connection-string", "postgresql+psycopg2://app:{}@db/main", "s3/cr?t#1"),
    ("connection-string", "mongodb+srv://app:{}@cluster0.mongodb.net/x", "p%40ss" + body(8)),
    ("connection-string", "redis://:{}@localhost:6379/0", "foobared"),
    ("connection-string", "amqps://guest:{}@mq/vhost", "gu3st"),
    ("connection-string", "mysql://root:{}@127.0.0.1/x", "p@ss"),
    ("url-password", "https://joe:{}@example.com/path", "swordfish"),
    ("url-password", "git clone https://{}@git.example.com/a/b.git", body(40, HEX)),
    ("password", "Server=tcp:x,1433;User ID=sa;Password={};Encrypt=True;", "Str0ng!Pass"),
    ("password", "Data Source=x;Password={};", "swordfish"),
    ("password", "host=db user=app password={} dbname=x", "swordfish"),
    ("authorization", "Authorization: Bearer {}", body(40)),
    ("authorization", "curl -H 'Authorization: Basic {}' https://x", encoded("user:hunter2")),
    ("authorization", '{{"authorization": "token {}"}}', body(40, HEX)),
    ("authorization", "Authorization: Bearer {}", "mysecrettoken"),
    ("bearer", 'headers = ["Bearer {}"]', body(30)),
    ("cookie", "Cookie: {}", f"session={body(12)}; theme=dark"),
    ("cookie", "Set-Cookie: {}", f"sid={body(24)}; Path=/; HttpOnly"),
    ("session-id", "X-Session-Id: {}", body(32, HEX)),
    ("session-id", "GET /x;JSESSIONID={}", body(32, HEX)),
    ("secret", "X-Api-Key: {}", "abcdefgh"),
    ("secret", "PRIVATE-TOKEN: {}", body(20)),
    ("option", "tool --password {} --verbose", "foo"),
    ("option", "tool --db-password={}", "swordfish"),
    ("option", "tool --api-key '{}'", body(20)),
    ("option", "curl -s -u joe:{} https://x", "swordfish"),
    ("option", "mysql -h db -u root -p{} main", "swordfish"),
    ("option", "sshpass -p '{}' ssh host", "sword fish"),
    ("option", "docker login -u joe -p {} registry.example.com", "swordfish"),
    ("option", "helm registry login -u joe -p '{}' r.example.com", "sword fish"),
    ("option", "mongosh -u joe -p {} db", "swordfish"),
    ("option", "sqlcmd -S db -U sa -P {}", "swordfish"),
    ("option", "ldapsearch -x -D cn=joe -w {}", "swordfish"),
    ("option", "7z x -p{} a.7z", "swordfish"),
    ("option", "npm config set //registry.npmjs.org/:_authToken {}", body(36)),
    ("netrc", "machine api.example.com\n  login joe\n  password {}", "swordfish"),
    ("pgpass", "db.internal:5432:main:app:{}", "swordfish"),
    ("password", 'password = "{}"', "hunter2"),
    ("password", "password: str = '{}'", "hunter2"),
    ("password", '"password": "{}"', "swordfish"),
    ("password", r"{{\"password\": \"{}\"}}", "swordfish"),
    ("password", "POSTGRES_PASSWORD={}", "swordfish"),
    ("password", "DB_PASS={}", "a(b&c;d"),
    ("password", "password: {}", "Tr0ub4dor&3".replace("&", "!")),
    ("password", "the password is {}", "hunter2"),
    ("password", "the password for the db is {}, remember it", "hunter2xyz"),
    ("password", "Password of the staging user: {}", "Tr0ub4dor!3"),
    ("password", "passphrase to the key was {}", "c0rrect-horse"),
    ("password", "das Passwort ist {}", "hunter2xyz"),
    ("password", "das Passwort für die Datenbank lautet {}", "hunter2xyz"),
    ("password", "le mot de passe est {}", "hunter2xyz"),
    ("password", "la contraseña es {}", "hunter2xyz"),
    ("password", "пароль: {}", "hunter2xyz"),
    ("password", "密码是{}", "hunter2xyz"),
    ("password", "<password>{}</password>", "swordfish"),
    ("password", 'if password == "{}":', "swordfish"),
    ("password", 'config["password"] = "{}"', "it's me"[:4] + "1 x"),
    ("password", 'user.setPassword("{}")', "hunter2"),
    ("password", 'passphrase = "{}"', "correct horse battery staple"),
    ("password", "https://x/login?user=joe&password={}&next=1", "swordfish"),
    ("secret", "API_KEY={}", "abcdefgh"),
    ("secret", "export TOKEN={}", "abc123"),
    ("secret", "SECRET_KEY_BASE={}", body(128, HEX)),
    ("secret", '"client_secret": "{}"', body(24)),
    ("secret", "client_secret => '{}'", body(24)),
    ("secret", "const apiKey: string = `{}`;", body(32, HEX)),
    ("secret", "api_key: {}", body(32, HEX)),
    ("secret", "token := \"{}\"", body(24)),
    ("secret", '<add name="ApiKey" value="{}"/>', body(24)),
    ("secret", '//registry.npmjs.org/:_authToken={}', "12345678-1234-1234-1234-123456789abc"),
    ("secret", 'softlayer_key = "{}"', body(64, HEX)),
    ("secret", 'cloudant_key="{}"', body(64, HEX)),
    ("secret", 'ibm_cloud_iam_api_key = "{}"', body(44)),
    ("secret", 'cos_hmac_secret_access_key = "{}"', body(48, HEX)),
    ("secret", '"auth": "{}"', encoded("joe:swordfish1")),
]  # fmt: skip

CORPUS = [(rule, "{}", secret) for rule, secrets in TOKENS.items() for secret in secrets] + PLACED

STAYS = [
    "The password for this is 2FA-protected.",
    "The password is 2FA-protected, and the token S3-backed.",
    "password: 2FA-protected",
    "The password for the db is in 1Password, the one of staging is rotated every 90 days.",
    "The check of the password in test: tests/test_auth2.py::test_login",
    "password on line 12: auth2.py:120",
    "The password of a user is hashed with bcrypt; the password for tests: none.",
    "docker login asks; docker run -p 8080:80 image; mkdir -p login/src2",
    "ssh -p 2222 host; zip -r a1.zip b2; mongo -p; 7z x a.7z; ldapsearch -x -W",
    "docker run --name mongo -p 27017:27017 mongo:6",
    "start mongodb with docker run -p 127.0.0.1:27017:27017 mongo",
    "docker compose run login service -p 8080:80",
    "the mongodb tests run with pytest -p no:cacheprovider",
    "kubectl logs mongo-0 -p -n database",
    "run podman login, then mkdir -p build/out",
    "pipe ldapsearch through grep -w uid",
    "Das Passwort ist falsch. Le mot de passe est obligatoire. La contraseña es larga. 密码是必填的",
    "the password is hashed with argon2",
    "The password is 8-character at least, the token is 256-bit and the secret is v1.2.3.",
    "Bearer token authentication is used; Basic authentication is not.",
    "set GITHUB_TOKEN in CI, then pass --token to the tool",
    "Use --password to be asked, or --password-file; --token TOKEN and --max-tokens 4096 work too.",
    "token: str",
    "password: string;",
    "def login(user: str, password: str | None = None, token=None) -> None:",
    "password = getpass()",
    "password = getpass.getpass('Password: ')",
    "api_key = os.environ['X']",
    "apiKey: process.env.API_KEY,",
    "token = self.client.token",
    "connect(user=user, password=password, token=token2)",
    "secret = secrets.token_hex(32)",
    'labels = {"pass' + 'word": "Enter your password", "token": "Token"}',
    'names = {"sec' + 'ret": "prod/db/credentials"}',
    '{"type": "object", "properties": {"password": {"type": "string"}, "token": {"type": "string"}}}',
    "PASSWORD_FILE=/run/secrets/db",
    "PWD=/home/joe/project",
    "TOKEN_URL=https://example.com/oauth/token",
    "MAX_TOKENS=4096",
    "tokens: 1234, budget_tokens=2000, token_count = 17",
    "API_KEY=<your-token>",
    "API_KEY=xxxxxxxxxxxxxxxx",
    "API_KEY=your-api-key-here",
    "API_KEY=YOUR_API_KEY",
    "PASSWORD=changeme",
    "TOKEN=${TOKEN}",
    'TOKEN="$(vault read -field=token x)"',
    'password: "{{ .Values.password }}"',
    'password = "***"',
    'password = "%s"',
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer <token>",
    'headers={"Authorization": f"Bearer {token}"}',
    "Authorization: required",
    'f"postgres://{user}:{password}@{host}/db"',
    "postgres://user:${PGPASSWORD}@db/main",
    "http://localhost:8080/path@v1",
    "https://example.com:443/a?b=c@d",
    "git@github.com:owner/name.git",
    "commit " + body(40, HEX),
    "sha256:" + body(64, HEX),
    "address " + body(64, HEX) + " supersedes " + body(12, HEX),
    "session_id: 123e4567-e89b-12d3-a456-426614174000",
    '{"session_id": "123e4567-e89b-12d3-a456-426614174000", "sessionId": "' + body(32, HEX) + '"}',
    "data:image/png;base64," + "iVBORw0KGgo" + body(400, B64),
    "pip install sk-learn; from sk-learn-contrib import x; task-1234-abcdefghijklmnopqrstuvwxyz; disk-usage",
    '<div class="sk-toggleable__content sk-estimator-doc-link-rendered">',
    "The ghp_ prefix marks a personal token, AKIA an access key, and eyJ a JWT.",
    "Look for -----BEGIN RSA " + "PRIVATE KEY----- in the files.",
    "-----BEGIN CERTIFICATE-----\nMIIB" + body(60, B64) + "\n-----END CERTIFICATE-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + body(43) + " joe@host",
    "The `<private>` tag hides a part, up to `</private>`.",
    "Cookie: theme=dark; lang=en",
    "docker run -u 1000:1000 image",
    "publicKeyToken=\"" + body(16, HEX) + '"',
    "PASS=120 FAIL=3",
    "2001:db8:*:*:*:*:*:*",
    "this._noAuthorization = !req.headers.authorization;",
    "const UNEXPECTED_TOKEN = /^Unexpected token '?(.)'?/i",
    "OPENAI_API_KEY=sk-... and AWS_LONG_ACCESS_KEY=wJa***",
    'headers = {"X-Sandbox-Token": sandbox_token}',
    "def sign(private_key: Ed25519PrivateKey) -> bytes:",
    "styles = {Token: '#dcdccc'}",
    'names = ["password", "email", "opaqueBufferQueueTriggerToken", "sfntCMapEncoding"]',
    'token = r"[-!#$%&*+.^_|~0-9a-zA-Z]+"',
    "The machine learning default password for login is none.",
    "a <private/> b",
]  # fmt: skip
