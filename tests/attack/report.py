"""What a child says of its attempts."""

from judge import fault


class Report:
    """Makes the attempts of one unit and says what came of them; ``fatal`` ones end the process.

    Attempts are numbered from 1. Those up to the last fatal one were made before.
    """

    def __init__(self, out, fatal=()):
        self.out, self.fatal, self.number = out, fatal, 0
        self.start = max(fatal, default=0)

    def attempt(self, text, work):
        """Make an attempt if it is not one of those before: what it gave, None where it failed."""
        self.number += 1
        if self.number <= self.start:
            return None
        self.out.write(f"{self.number}\t{_escaped(text)}\t")
        self.out.flush()
        try:
            result = work()
        except BaseException as e:
            wrong = fault(e)
            self.out.write("refused\n" if wrong is None else f"WRONG {_one_line(wrong)}\n")
            return None
        self.out.write("ok\n")
        return result

    def again(self, work):
        """Make an attempt of which nothing has to be said: whether it was made and succeeded."""
        self.number += 1
        if self.number in self.fatal:
            return None
        try:
            return work()
        except BaseException:
            return None

    @property
    def is_behind(self):
        """Whether the next attempt was made before."""
        return self.number < self.start


def _escaped(text):
    return text.encode("unicode_escape").decode()


def _one_line(text):
    return _escaped(" ".join(text.split()))[:600]
