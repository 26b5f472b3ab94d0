"""Plain text: what somebody else wrote, so that it does nothing to a terminal but stand there."""


def plain(text: str) -> str:
    """Text with everything that cannot be seen (control characters, turns of direction) spelled out."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
