"""A lifecycle plugin without the SDK: one mailbox for each Module with a displayName.

    python3 plugin.py --port 8092 --data-file ./data/mailboxes.sqlite --platform-api-base https://platform.example

It needs Python 3.9 or later and nothing else. Everything that it must know is in docs/protocol.md.
"""

import argparse
import hashlib
import json
import os
import secrets
import sqlite3
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from lifecycle_request import Invalid, read_request
from tokens import KeysUnavailable, TokenVerifier, matches

PLUGIN_ID = "python-mailboxes"
BODY_MAX = 4 * 1024 * 1024

SCHEMA = (
    """CREATE TABLE IF NOT EXISTS call (
      operation_id TEXT, stage TEXT, fingerprint TEXT NOT NULL, answer TEXT NOT NULL,
      PRIMARY KEY (operation_id, stage)
    )""",
    """CREATE TABLE IF NOT EXISTS mark (
      install TEXT PRIMARY KEY, operation_id TEXT NOT NULL, sequence INTEGER NOT NULL, is_detached INTEGER NOT NULL
    )""",
    """CREATE TABLE IF NOT EXISTS mailbox (
      install TEXT, locator TEXT, address TEXT NOT NULL, access_token TEXT NOT NULL, PRIMARY KEY (install, locator)
    )""",
)


class Failure(Exception):
    """A failure envelope. The message is shown to people: no secret, path or address."""

    def __init__(self, error_code, message, retryable=False):
        super().__init__(message)
        self.error_code = error_code
        self.retryable = retryable


class Mailboxes:
    """The business of the plugin, and the memory of its calls, in one SQLite file."""

    def __init__(self, file):
        os.makedirs(os.path.dirname(os.path.abspath(file)), exist_ok=True)
        self.database = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        for statement in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", *SCHEMA):
            self.database.execute(statement)
        self.lock = threading.Lock()

    def answer(self, request, body):
        """The response to a call, as text. A call runs once; its effect and its memory are one transaction."""
        fingerprint = hashlib.sha256(body).hexdigest()
        # One call at a time: an identical call waits here, and then finds the remembered response.
        with self.lock:
            self.database.execute("BEGIN IMMEDIATE")
            try:
                text = self._remembered(request, fingerprint)
                if text is None:
                    self._fence(request)
                    self.database.execute("SAVEPOINT effect")
                    try:
                        text = self._execute(request, fingerprint)
                    except Failure:
                        # The sequence stays: an earlier call that arrives now must have no effect.
                        self.database.execute("ROLLBACK TO effect")
                        self.database.execute("COMMIT")
                        raise
                self.database.execute("COMMIT")
                return text
            except BaseException:
                if self.database.in_transaction:
                    self.database.execute("ROLLBACK")
                raise

    def _remembered(self, request, fingerprint):
        key = (request["operation"]["operationId"], request["stage"])
        row = self.database.execute(
            "SELECT fingerprint, answer FROM call WHERE operation_id = ? AND stage = ?", key
        ).fetchone()
        if row is None:
            return None
        if row[0] != fingerprint:
            raise Failure("REQUEST_INVALID", "Another request with this operationId and stage has arrived")
        return row[1]

    def _fence(self, request):
        """Refuses late calls, and stores the highest sequence of the installation."""
        install = request["installation"]["bundleInstallId"]
        operation = request["operation"]
        sequence = request["executionSequence"]
        mark = self.database.execute(
            "SELECT operation_id, sequence, is_detached FROM mark WHERE install = ?", (install,)
        ).fetchone()
        if mark is not None:
            is_other = sequence == mark[1] and operation["operationId"] != mark[0]
            if sequence < mark[1] or is_other:
                raise Failure("EXECUTION_SEQUENCE_STALE", "A later operation of this installation has arrived")
            if mark[2] and operation["operationType"] in ("UPGRADE", "CONFIGURE"):
                raise Failure("INSTALLATION_NOT_ACTIVE", "This installation was detached")
        self.database.execute(
            "INSERT OR REPLACE INTO mark VALUES (?, ?, ?, 0)", (install, operation["operationId"], sequence)
        )

    def _execute(self, request, fingerprint):
        outcome, writes = self._apply(request)
        echo = ("contractVersion", "pluginId", "executionSequence", "installation", "operation", "stage")
        data = {name: request[name] for name in echo}
        data.update(outcome=outcome, resources=writes)
        text = json.dumps({"contractVersion": "1.0.0", "errorCode": "0", "data": data})
        key = (request["operation"]["operationId"], request["stage"])
        self.database.execute("INSERT INTO call VALUES (?, ?, ?, ?)", (*key, fingerprint, text))
        return text

    def _apply(self, request):
        """The outcome and the writes."""
        install = request["installation"]["bundleInstallId"]
        is_before = request["stage"] == "BEFORE_RESOURCES"
        if request["operation"]["operationType"] == "DETACH":
            if is_before:
                return "NOT_APPLIED", {}
            self.database.execute("UPDATE mark SET is_detached = 1 WHERE install = ?", (install,))
            removed = self.database.execute("DELETE FROM mailbox WHERE install = ?", (install,))
            return ("APPLIED" if removed.rowcount > 0 else "NOT_APPLIED"), {}
        if not is_before:
            return "VERIFIED", {}
        writes = {}
        for locator, entry in request["resources"].items():
            if entry["action"] == "DETACH":
                self.database.execute("DELETE FROM mailbox WHERE install = ? AND locator = ?", (install, locator))
            elif "displayName" in entry["properties"]:
                writes[locator] = self._put(install, locator, entry["properties"]["displayName"]["value"])
        return "APPLIED", writes

    def _put(self, install, locator, display_name):
        if not isinstance(display_name, str):
            raise Failure("DISPLAY_NAME_INVALID", "displayName must be a text")
        name = "".join(char if char.isalnum() and char.isascii() else "." for char in display_name.lower())
        address = f"{name}@example.com"
        # An existing mailbox keeps its token.
        self.database.execute(
            "INSERT INTO mailbox VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET address = excluded.address",
            (install, locator, address, secrets.token_urlsafe(32)),
        )
        token = self.database.execute(
            "SELECT access_token FROM mailbox WHERE install = ? AND locator = ?", (install, locator)
        ).fetchone()[0]
        return {
            "mailbox": {"@type": "Data", "value": address},
            "accessToken": {"@type": "Data", "value": token, "isSensitive": True},
        }

    def list(self):
        """Without tokens."""
        with self.lock:
            rows = self.database.execute("SELECT install, locator, address FROM mailbox").fetchall()
        return [{"bundleInstallId": row[0], "locator": row[1], "address": row[2]} for row in rows]


def number(text, base):
    """A length as HTTP writes it: digits only, because int() also takes signs, spaces and underscores. Else None."""
    digits = "0123456789abcdef"[:base]
    is_number = 0 < len(text) <= 16 and all(character in digits for character in text.lower())
    return int(text, base) if is_number else None


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30
    mailboxes: Mailboxes
    tokens: TokenVerifier

    def do_POST(self):
        if self.path != "/lifecycle":
            return self._send(404)
        body = self._body()
        if body is None:
            return None
        if self.headers.get_content_type() != "application/json":
            return self._send(415)
        try:
            claims = self.tokens.claims(self.headers.get("authorization"))
            if claims is None:
                return self._send(401)
            request = read_request(body, PLUGIN_ID)
            if not matches(claims, request):
                return self._send(401)
            return self._send(200, self.mailboxes.answer(request, body))
        except KeysUnavailable:
            return self._send(503)
        except Invalid as error:
            return self._fail(Failure("REQUEST_INVALID", str(error)))
        except RecursionError:
            return self._fail(Failure("REQUEST_INVALID", "The body is nested too deeply"))
        except Failure as failure:
            return self._fail(failure)

    def do_GET(self):
        if self.path == "/lifecycle":
            return self._send(405)
        return self._send(200, json.dumps(self.mailboxes.list())) if self.path == "/mailboxes" else self._send(404)

    def do_PUT(self):
        if self._body() is not None:
            self._send(405)

    def _body(self):
        """The whole body; None if it was cut off or too large, and the connection is then of no more use."""
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            body = self._chunked()
        else:
            length = number(self.headers.get("content-length") or "0", 10)
            body = self.rfile.read(length) if length is not None and length <= BODY_MAX else None
            if body is not None and len(body) < length:
                body = None
        if body is None:
            self.close_connection = True
            self._send(400)
        return body

    def _chunked(self):
        body = bytearray()
        while True:
            line = self.rfile.readline(64).split(b";")[0].strip()
            size = number(line.decode("latin-1"), 16)
            if size is None or size > BODY_MAX:
                return None
            chunk = self.rfile.read(size)
            self.rfile.readline(64)
            if size == 0:
                return bytes(body)
            body += chunk
            if len(chunk) < size or len(body) > BODY_MAX:
                return None

    def _fail(self, failure):
        data = {"message": str(failure), "retryable": failure.retryable, "errorPath": [PLUGIN_ID]}
        self._send(200, json.dumps({"contractVersion": "1.0.0", "errorCode": failure.error_code, "data": data}))

    def _send(self, status, text=""):
        content = text.encode()
        try:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        except OSError:
            # The runtime is gone; it will repeat the call and get the remembered response.
            self.close_connection = True

    def log_message(self, *_args):
        """Nothing is logged: a request line could contain anything."""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """A connection that was cut is no error of the plugin."""


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--port", type=int, default=8092)
    arguments.add_argument("--data-file", required=True)
    arguments.add_argument("--platform-api-base", required=True)
    options = arguments.parse_args()
    Handler.mailboxes = Mailboxes(options.data_file)
    Handler.tokens = TokenVerifier(options.platform_api_base, PLUGIN_ID)
    server = Server(("127.0.0.1", options.port), Handler)
    print(f"{PLUGIN_ID} accepts lifecycle calls at http://127.0.0.1:{server.server_port}/lifecycle", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
