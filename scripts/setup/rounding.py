"""Rounds the weights of a network in ONNX so that the file compresses well. The result is an ONNX file of the same size.

Each number of a large tensor becomes a multiple of a power of two, the step of its channel. The file keeps float32, and most bytes of a
rounded number are zero. A channel is a row of a convolution, and a column of a matrix.

The step of a channel is a share of the root mean square of its numbers. The share grows with the square root of the tensor's size.
Each tensor then adds noise in proportion to the bits that it saves: an error in a small tensor costs as much as in a large one, and its
exact bits cost less. Needs only the standard library. All operations are exact or correctly rounded, so every machine gives the same bytes.
"""

import math
import struct
from collections.abc import Iterator
from typing import NamedTuple

# The numbers of fields in onnx.proto.
GRAPH, INITIALIZER = 7, 5
DIMS, DATA_TYPE, RAW_DATA = 1, 2, 9
FLOAT = 1
# Protocol Buffers: how the value of a field is written.
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5

# Smaller tensors, such as biases, keep their exact numbers.
MIN_NUMBERS = 1024
# A tensor of so many numbers has steps of a twentieth of the root mean square (docs/dev/extraction.md has the measurement).
USUAL_NUMBERS = 300_000
USUAL_SHARE = 1 / 20


class Field(NamedTuple):
    """A field of a message: its number, the value if it is a number, and else where its bytes are in the file."""

    number: int
    value: int
    start: int
    end: int


def rounded(network: bytes) -> bytes:
    """The network with rounded weights. Raises ValueError if the bytes are no message."""
    result = bytearray(network)
    for graph in fields(network, 0, len(network)):
        if graph.number != GRAPH:
            continue
        for tensor in fields(network, graph.start, graph.end):
            if tensor.number == INITIALIZER:
                round_tensor(result, list(fields(network, tensor.start, tensor.end)))
    return bytes(result)


def fields(data: bytes, start: int, end: int) -> Iterator[Field]:
    """The fields of the message between two places of the file."""
    while start < end:
        key, start = varint(data, start)
        number, kind = key >> 3, key & 7
        if kind == VARINT:
            value, start = varint(data, start)
            yield Field(number, value, start, start)
            continue
        if kind == BYTES:
            length, start = varint(data, start)
        elif kind in (FIXED32, FIXED64):
            length = 4 if kind == FIXED32 else 8
        else:
            raise ValueError(f"wire type {kind} at byte {start}")
        if start + length > end:
            raise ValueError(f"a field ends behind its message at byte {start}")
        yield Field(number, 0, start, start + length)
        start += length


def varint(data: bytes, start: int) -> tuple[int, int]:
    """A number of seven bits to the byte, and the place behind it."""
    value = shift = 0
    while True:
        byte = data[start]
        start += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, start
        shift += 7


def round_tensor(file: bytearray, tensor: list[Field]) -> None:
    """Rounds a tensor in its place if it is one of float32 with at least two dimensions and [`MIN_NUMBERS`]."""
    shape = [length for field in tensor if field.number == DIMS for length in lengths(file, field)]
    kinds = [field.value for field in tensor if field.number == DATA_TYPE]
    raw = next((field for field in tensor if field.number == RAW_DATA), None)
    count = math.prod(shape)
    if kinds != [FLOAT] or raw is None or len(shape) < 2 or count < MIN_NUMBERS:
        return
    if raw.end - raw.start != 4 * count:
        raise ValueError(f"a tensor of {count} numbers has {raw.end - raw.start} bytes")
    numbers = list(struct.unpack_from(f"<{count}f", file, raw.start))
    share = USUAL_SHARE * math.sqrt(count / USUAL_NUMBERS)
    for channel in channels(shape, count):
        numbers[channel] = round_channel(numbers[channel], share)
    struct.pack_into(f"<{count}f", file, raw.start, *numbers)


def lengths(file: bytearray, field: Field) -> list[int]:
    """The dimensions in a field: one, or all packed into bytes."""
    if field.start == field.end:
        return [field.value]
    found, place = [], field.start
    while place < field.end:
        length, place = varint(file, place)
        found.append(length)
    return found


def channels(shape: list[int], count: int) -> list[slice]:
    """The columns of a matrix; of other tensors, the rows of the first dimension."""
    if len(shape) == 2:
        return [slice(column, count, shape[1]) for column in range(shape[1])]
    length = count // shape[0]
    return [slice(start, start + length) for start in range(0, count, length)]


def round_channel(numbers: list[float], share: float) -> list[float]:
    """The nearest multiples of the power of two next to this share of the root mean square."""
    wanted = share * math.sqrt(math.fsum(number * number for number in numbers) / len(numbers))
    if wanted == 0.0:
        return numbers
    mantissa, exponent = math.frexp(wanted)
    step = math.ldexp(1.0, exponent if mantissa >= math.sqrt(0.5) else exponent - 1)
    per_step = 1.0 / step
    return [round(number * per_step) * step for number in numbers]
