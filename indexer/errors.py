"""Say what can go wrong with a repository, in terms of the repository.

Every error carries its fields and builds its message in ``__str__``; ``category`` is the
word agents and scripts see (``error[CATEGORY]: ...``).
"""


class IndexerError(Exception):
    """Report a problem with the repository or its index."""

    category = "unsupported"


class BinaryFileError(IndexerError):
    """Report that a file holds no text."""

    category = "binary"

    def __init__(self, path: str, size: int) -> None:
        super().__init__(path, size)
        self.path = path
        self.size = size

    def __str__(self) -> str:
        return f"{self.path} is binary ({self.size} bytes)"


class UnreadableFileError(IndexerError):
    """Report that the system refused to open or read a file or folder."""

    category = "unreadable"

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path} cannot be read: {self.reason}"


class NotRegularFileError(IndexerError):
    """Report that a path is a folder, FIFO, device or socket where a file is meant."""

    category = "not_regular_file"

    def __init__(self, path: str, what: str) -> None:
        super().__init__(path, what)
        self.path = path
        self.what = what

    def __str__(self) -> str:
        return f"{self.path} is a {self.what}, not a file"


class GitError(IndexerError):
    """Report that git refused a command; ``category`` is ``bad_ref`` where the ref was wrong."""

    def __init__(self, message: str, category: str = "unsupported") -> None:
        super().__init__(message, category)
        self.message = message
        self.category = category

    def __str__(self) -> str:
        return self.message
