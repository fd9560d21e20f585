"""One rule for numbers in texts: decimal, ASCII digits, a range that the refusal names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.model.numerals import (
    LARGEST_INTEGER,
    in_ascii_digits,
    integer_of,
    is_decimal,
    parse_decimal,
    parse_whole,
)

ODD = (
    "1_000",
    "\uff11\uff12",
    "\u0663",
    "\u00b2",
    "0x10",
    "0X1F",
    "0o7",
    "1e",
    "--1",
    "",
    " ",
    "1 2",
)


@given(st.integers(-LARGEST_INTEGER, LARGEST_INTEGER), st.integers(0, 6000), st.booleans())
def test_every_integer_of_64_bits_is_read_with_any_zeros_and_sign(
    number: int, zeros: int, plus: bool
) -> None:
    """Python refuses to convert more than 4,300 digits, and zeros are digits, too."""
    sign = "-" if number < 0 else "+" if plus else ""
    assert integer_of(f" {sign}{'0' * zeros}{abs(number)}\t") == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_is_read_as_python_writes_it(number: float) -> None:
    assert is_decimal(repr(number))
    if abs(number) <= 1e12:
        assert parse_decimal(repr(number)) == number


@given(st.text(st.characters(categories=["Nd", "No"]) | st.sampled_from("_xXeE.+-09")))
def test_what_is_read_is_what_python_reads_of_ascii_decimals(text: str) -> None:
    """No reading is another one than Python's, and no text is read that has other digits."""
    found = integer_of(text)
    if found is not None:
        assert text.isascii()
        assert int(text) == found
    if is_decimal(text):
        assert text.isascii()
        float(text)
    assert in_ascii_digits(text) == (not any(one.isdigit() and one > "9" for one in text))


@pytest.mark.parametrize("text", ODD)
def test_other_spellings_are_no_numbers(text: str) -> None:
    assert integer_of(text) is None
    assert not is_decimal(text)
    for parse in (parse_whole, parse_decimal):
        with pytest.raises(InputError, match="is not a"):
            parse(text)


@pytest.mark.parametrize("text", ["9" * 5000, "2147483648", "-2147483648"])
def test_the_refusal_of_a_number_out_of_range_names_the_range(text: str) -> None:
    with pytest.raises(InputError, match=r"(above|below) -?2147483647"):
        parse_whole(text)
    with pytest.raises(InputError, match="is not from 1 to 2147483647"):
        parse_whole(text, 1)
    with pytest.raises(InputError, match=r"above 1e\+12"):
        parse_decimal("1e308")
