"""The only code that speaks over sockets."""
