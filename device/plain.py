"""Plain text: untrusted text made safe to print on a terminal."""


def plain(text: str) -> str:
    """Text with unprintable characters (control characters, direction marks) escaped."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
