"""The protocol without any input or output: messages, greeting, transcript, peer."""

from pazaak_p2p.wire import cheats, errors, events, messages
from pazaak_p2p.wire.greeting import VERSIONS, Role
from pazaak_p2p.wire.peer import Peer

__all__ = ["VERSIONS", "Peer", "Role", "cheats", "errors", "events", "messages"]
