from touchstone.copies import CannotCopy
from touchstone.judging import judge
from touchstone.verdict import Difference, Verdict
