"""What a judgement says."""

import dataclasses

# From the worst on; docs/outcomes.md says what each means.
OUTCOMES = ("Differs", "InternalError", "BackendRejected", "MissingRefusal", "BackendAccepts", "Limit", "EagerUnstable", "BothRejected",
            "Vacuous", "Agreed")
AGREEING = ("Agreed",)


@dataclasses.dataclass(frozen=True)
class Difference:
    """One observed property that is not eager's."""

    call: int  # number of the call, from 0
    property: str  # a word of docs/oracles.md, or "exception"
    where: str  # "output[0]", "argument 1", "self.weight"
    text: str  # both values in words

    def __str__(self):
        return f"call {self.call}: {self.property} of {self.where}: {self.text}"


@dataclasses.dataclass
class Verdict:
    """The outcome of all calls of one program under one backend. True when everything that was observed agreed."""

    outcome: str  # one of OUTCOMES, the worst of the calls
    backend: str
    calls: tuple  # the outcome of each call
    graphs: int  # how many graphs the backend was given
    differences: list = dataclasses.field(default_factory=list)
    notes: list = dataclasses.field(default_factory=list)  # what was not compared, and why
    reproduction: object = dataclasses.field(default=None, repr=False)

    @property
    def agreed(self):
        """Whether compiled code ran and all that was observed is eager's."""
        return self.outcome in AGREEING

    def __bool__(self):
        return self.agreed

    def __str__(self):
        kind = f"/{self.differences[0].property}" if self.outcome == "Differs" else ""
        head = f"{self.outcome}{kind} under {self.backend} ({len(self.calls)} calls, {self.graphs} graphs)"
        return "\n".join([head, *(f"  {each}" for each in self.differences), *(f"  note: {each}" for each in self.notes)])

    def script(self):
        """A Python file that shows the difference with PyTorch alone, the tensors' data inline. Raises ValueError, saying
        why, where the program's source cannot be had."""
        if self.reproduction is None:
            raise ValueError("This verdict does not keep the program it was made of.")
        return self.reproduction.script()


def worst(outcomes):
    """The worst of some outcomes; "Vacuous" of none."""
    return min(outcomes, key=OUTCOMES.index, default="Vacuous")
