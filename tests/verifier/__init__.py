"""A second, minimal verifier of match records, written from the protocol page and the rules alone.

It shares no code with the package and needs only the standard library, `msgpack` and
`cryptography`. `verify` reads the bytes of a record (section 12 of the specification) and says
what they prove.
"""

from .record import verify
from .verdict import Verdict

__all__ = ["Verdict", "verify"]
