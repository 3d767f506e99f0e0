"""What goes wrong when a lesson is written."""


class AuthorError(ValueError):
    """Something that the author of a text should put right, and the line where it stands."""

    def __init__(self, message: str, *, line: int | None = None, where: str = ""):
        super().__init__(message)
        self.message = message
        self.line = line
        self.where = where

    def __str__(self) -> str:
        if self.where and self.line:
            return f"{self.where}, line {self.line}: {self.message}"
        place = self.where or (f"Line {self.line}" if self.line else "")
        return f"{place}: {self.message}" if place else self.message

    def moved(self, lines: int = 0, where: str = "") -> "AuthorError":
        """The same error, told of a larger text in which this one starts `lines` further down."""
        line = self.line + lines if self.line else None
        return AuthorError(self.message, line=line, where=where or self.where)
