"""The host's certificate: made for one run, signed by itself, trusted by nobody.

TLS wants one. Here it says nothing about who the host is, only which connection this is: its
fingerprint stands in the host's signed greeting (specification, sections 2.1 and 5.1).
"""

from __future__ import annotations

import datetime
import secrets
import ssl
import tempfile
from pathlib import Path
from typing import Final

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
)

from pazaak_p2p.net.errors import CannotListen
from pazaak_p2p.net.tls import Carrier, Line, fingerprint_of, only_pazaak, shake_hands

# Nobody looks at the dates; these tell nothing of this machine's clock, nor does a wrong clock of
# the other side matter. The second is how RFC 5280 (4.1.2.5) writes "without an end".
_SINCE: Final = datetime.datetime(2000, 1, 1)
_UNTIL: Final = datetime.datetime(9999, 12, 31, 23, 59, 59)


class Credentials(msgspec.Struct, frozen=True):
    """What a host shows on TLS connections."""

    context: ssl.SSLContext
    fingerprint: bytes
    """SHA-256 of the certificate (DER), 32 bytes."""


def make_credentials(context: ssl.SSLContext | None = None) -> Credentials:
    """A new key and certificate, for *context* (None: one for pazaak alone).

    Raises ``CannotListen`` if this machine has no room for them.

    The key is ECDSA on P-256: the one kind that every implementation of TLS 1.3 must have
    (RFC 8446, 9.1), so that peers in all languages can dial us.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "pazaak")])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(_SINCE)
        .not_valid_after(_UNTIL)
        .sign(key, hashes.SHA256())
    )
    # ``ssl`` reads keys from files only, and not every system has files without a disk. So that the
    # key itself never is on one, it is written under a password that is nowhere else.
    password = secrets.token_hex(32).encode("ascii")
    pem = certificate.public_bytes(Encoding.PEM) + key.private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(password)
    )
    if context is None:
        context = only_pazaak(ssl.PROTOCOL_TLS_SERVER)
    # Every connection shakes hands in full: there is nothing to resume, and nothing to keep.
    context.num_tickets = 0
    context.options |= ssl.OP_NO_TICKET
    try:
        # A folder that is ours alone (0700), gone at once.
        with tempfile.TemporaryDirectory(prefix="pazaak-") as folder:
            file = Path(folder, "certificate.pem")
            file.touch(mode=0o600)
            file.write_bytes(pem)
            context.load_cert_chain(file, password=password)
    except OSError as error:
        if isinstance(error, ssl.SSLError):
            raise
        raise CannotListen(
            "No certificate for encrypted connections can be made.",
            why=f"It takes a temporary file for a moment. The system says: {error.strerror}.",
            next="Make room in the folder for temporary files, or set TMPDIR to another.",
        ) from error
    return Credentials(context, fingerprint_of(certificate.public_bytes(Encoding.DER)))


async def receive_line(carrier: Carrier, credentials: Credentials | None) -> Line:
    """What to talk over with whoever has dialled us: TLS, or without *credentials* plain.

    Raises and answers as :func:`~pazaak_p2p.net.tls.shake_hands`; the caller sets the deadline.
    """
    if credentials is None:
        return carrier.lean
    return await shake_hands(carrier, credentials.context, credentials.fingerprint)
