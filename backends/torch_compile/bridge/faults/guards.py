"""Compiled code is taken where it does not apply: a guard is missing, or says less than it should."""

import math

from .front_cache import Cache, WithoutGuards
from .table import fault


@fault("guards")
def sizes_are_not_guarded():
    """Sizes of tensors are in no guard. When: a second call with other sizes, and a size is in the graph."""
    return Cache("sizes", "strides")


@fault("guards")
def number_of_dimensions_is_guarded_alone():
    """Of sizes the number of dimensions is in the guard alone. When: a second call with other sizes of as many dimensions."""
    return Cache("strides", sizes=len)


@fault("guards")
def number_of_elements_is_guarded_alone():
    """Of sizes the number of elements is in the guard alone. When: another shape of as many elements."""
    return Cache("strides", sizes=lambda sizes: math.prod(sizes))


@fault("guards")
def first_size_is_not_guarded():
    """The first size is taken for that of a batch, which no guard knows. When: it changes, and is in the graph."""
    return Cache("strides", sizes=lambda sizes: (len(sizes), sizes[1:]))


@fault("guards")
def last_size_is_not_guarded():
    """The last size is not in the guard. When: it changes in a tensor of two or more dimensions."""
    return Cache("strides", sizes=lambda sizes: (len(sizes), sizes[:-1] if len(sizes) > 1 else sizes))


@fault("guards")
def sizes_are_guarded_by_power_of_two():
    """Sizes are guarded by the power of two that holds them. When: five and seven, for instance."""
    return Cache("strides", sizes=lambda sizes: tuple(each.bit_length() for each in sizes))


@fault("guards")
def size_one_is_not_special():
    """A size of one is guarded as any other below three. When: a size changes between one and two and is broadcast."""
    return Cache("strides", sizes=lambda sizes: tuple(max(each, 2) for each in sizes))


@fault("guards")
def strides_are_not_guarded():
    """Strides are in no guard. When: a second call with a transposed argument, and the graph views or returns it."""
    return Cache("strides")


@fault("guards")
def strides_are_guarded_by_their_order():
    """Of strides the order is in the guard alone. When: a second call with gaps between rows."""
    return Cache(strides=lambda strides: tuple(sorted(range(len(strides)), key=lambda each: strides[each])))


@fault("guards")
def dtypes_are_not_guarded():
    """Dtypes are in no guard. When: a second call with another dtype that is in the graph."""
    return Cache("dtype")


@fault("guards")
def float_dtypes_are_one_to_a_guard():
    """All float dtypes are one to the guard. When: a second call with double in place of single."""
    return Cache(dtype=lambda dtype: "float" if dtype.is_floating_point else str(dtype))


@fault("guards")
def requires_grad_is_not_guarded():
    """Whether arguments require gradients is in no guard. When: first an argument without, then with."""
    return Cache("requires_grad")


@fault("guards")
def grad_mode_is_not_guarded():
    """The grad mode is in no guard. When: a first call under no_grad, a second with gradients."""
    return Cache("grad_mode")


@fault("guards")
def autocast_is_not_guarded():
    """Autocast is in no guard. When: a call outside and one inside."""
    return Cache("autocast")


@fault("guards")
def numbers_are_not_guarded():
    """Numbers that are arguments are in no guard. When: a second call with another number."""
    return Cache("numbers")


@fault("guards")
def numbers_are_guarded_by_their_sign():
    """Of numbers the sign is in the guard alone. When: another number of the same sign."""
    return Cache(numbers=lambda text: text.startswith("-"))


@fault("guards")
def numbers_are_guarded_as_whole():
    """Of numbers what stands before the point is in the guard alone. When: 1.25 and 1.5."""
    return Cache(numbers=lambda text: text.partition(".")[0])


@fault("guards")
def identity_is_not_guarded():
    """Whether two arguments are one object is in no guard. When: first two, then the same twice, and one is written to."""
    return Cache("identity", "storage", "overlap")


@fault("guards")
def length_of_a_list_is_not_guarded():
    """The length of a list is in no guard. When: a second call with a longer list."""
    return Cache("length")


@fault("guards")
def training_is_not_guarded():
    """Whether a module is training is in no guard. When: a second call in the other mode."""
    return Cache("training")


@fault("guards")
def cache_is_full_after_two():
    """The third compiled variant is not kept, and the first one taken instead. When: calls with three kinds of sizes."""
    return _LastOfTwo()


class _LastOfTwo(Cache):
    def _key(self, arguments):
        key = super()._key(arguments)
        self._known = getattr(self, "_known", [])
        if key not in self._known and len(self._known) < 2:
            self._known.append(key)
        return key if key in self._known else self._known[0]


@fault("guards")
def guards_are_forgotten_from_the_third_call_on():
    """From the third call on sizes are in no guard. When: the third or a later call has sizes that the second had not."""
    return Cache("sizes", "strides", since=2)


@fault("guards")
def numbers_are_forgotten_from_the_third_call_on():
    """From the third call on numbers are in no guard. When: the third or a later call has another number."""
    return Cache("numbers", since=2)


@fault("guards")
def constants_are_without_a_guard():
    """The guards on numbers and bools are dropped. When: a second call with another number."""
    return WithoutGuards(lambda entry: isinstance(entry.value, (bool, int, float)))


@fault("guards")
def tensors_are_without_a_guard():
    """The guards on tensors are dropped. When: a second call with other sizes, dtypes or strides."""
    return WithoutGuards(lambda entry: entry.guard_type == "TENSOR_MATCH")


@fault("guards")
def aliases_are_without_a_guard():
    """The guards on arguments that are one object are dropped. When: first the same object twice, then two."""
    return WithoutGuards(lambda entry: entry.guard_type == "DUPLICATE_INPUT")


@fault("guards")
def none_is_without_a_guard():
    """The guards on arguments that are None are dropped. When: first None, then a tensor."""
    return WithoutGuards(lambda entry: entry.value is None)


@fault("guards")
def gradients_of_arguments_are_without_a_guard():
    """Of arguments that require gradients it is not guarded whether they are leaves.

    When: a leaf first, then an intermediate that is read back.
    """
    return Cache("leaf", "gradient", "requires_grad")
