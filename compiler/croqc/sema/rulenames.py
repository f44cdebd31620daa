"""Public names of the rules whose findings the core of analysis raises, with catalogue row and arguments.

Arguments are str, int, bool or tuples of them; types are spelled as `describe` spells them, symbolic
integers as `str(Int)`. A place that concerns one operand has its span. Device-side rows: `rulenames_device`.
"""

from __future__ import annotations

from typing import Final

NOT_UNDERSTOOD: Final = "not-understood"  # -; construct

# --- names, types, variables (8.1) ---------------------------------------------------------------
# T01, S09; name, near (str or None), macro (bool), dimension (bool), guess, constant (its value in host C++, or None)
UNDECLARED_NAME: Final = "undeclared-name"
REDECLARED_NAME: Final = "redeclared-name"  # T02; name, kind; related: the earlier one
SHADOWED_ASSIGNMENT: Final = "shadowed-assignment"  # T03; name, future: whether it is one; related: the outer one
IMMUTABLE_ASSIGNMENT: Final = "immutable-assignment"  # T04; name, kind; related: the declaration
MISSING_INITIALISER: Final = "missing-initialiser"  # T05; name, type ("" where none is written)
INITIALISER_TYPE: Final = "initialiser-type"  # T06; name, t1 (declared), t2 (initialiser)
UNSTORABLE_VALUE: Final = "unstorable-value"  # T07; t
MUTABLE_NON_SCALAR: Final = "mutable-non-scalar"  # T08; name, t
OPERAND_TYPES: Final = "operand-types"  # T09; op, t1, t2 ("" for unary operators)
SHIFT_COUNT: Final = "shift-count"  # T10; -
NON_BOOL_CONDITION: Final = "non-bool-condition"  # T11; t, where ("if", "while", "inthreads", "?:")
CONDITIONAL_ARMS: Final = "conditional-arms"  # T12; t1, t2
LOSSY_CONVERSION: Final = "lossy-conversion"  # T13; t1, t2
SIGN_CONVERSION: Final = "sign-conversion"  # T14; t1, t2
UNSUPPORTED_TYPE: Final = "unsupported-type"  # T15; t, arch, needs (targets that have it)
NO_COMMON_TYPE: Final = "no-common-type"  # T16; t1, t2
INCREMENT_TARGET: Final = "increment-target"  # T17; op, name; related: the declaration
NOT_A_VALUE: Final = "not-a-value"  # T18; name, t

# --- shapes, tuples, bounded variables (8.2) -----------------------------------------------------
BAD_EXTENT: Final = "bad-extent"  # S01; v, d (dimension from 0)
SHAPE_MEMBER: Final = "shape-member"  # S02; t, mutable (bool), what ("shape" or "tuple")
DECLARED_RANK: Final = "declared-rank"  # S03; a (declared), b (has)
SHAPE_BRACKETS: Final = "shape-brackets"  # S04; what ("shape" or "tuple", what is declared), got
RANK_MISMATCH: Final = "rank-mismatch"  # S05; a, b
SHAPE_OPERANDS: Final = "shape-operands"  # S06; op, t1, t2
DIMENSION_INDEX: Final = "dimension-index"  # S07; k, r
DIVISION_BY_ZERO: Final = "division-by-zero"  # S08; op
ARRAY_SIZE: Final = "array-size"  # S10; v (str)
DYNAMIC_DEVICE_BUFFER: Final = "dynamic-device-buffer"  # S11; name, storage, extent (str), d
FILL_VALUE: Final = "fill-value"  # S12; name, t
BOUNDED_EXTENT: Final = "bounded-extent"  # S13; x
NO_BOUND: Final = "no-bound"  # S14; x, t
COMPOSE_OPERANDS: Final = "compose-operands"  # S15; op, t1, t2
BINDING_COUNT: Final = "binding-count"  # S16; a (names), b (dimensions)
PLACEHOLDER_NAME: Final = "placeholder-name"  # S17; -
DATA_ELEMENT_TYPES: Final = "data-element-types"  # S18; t1, t2
DATA_EXTENTS: Final = "data-extents"  # S19; a, b (shapes), d
NO_SHAPE: Final = "no-shape"  # S20; what ("|x|", "span", "pick", "[]", "{}"), t

# --- views and element access (8.3) --------------------------------------------------------------
VIEW_OF_NON_DATA: Final = "view-of-non-data"  # V01; name, t, op
VIEW_ITEM_COUNT: Final = "view-item-count"  # V02; op, r, k
ZERO_TILE: Final = "zero-tile"  # V03; op
TOO_MANY_CHUNKS: Final = "too-many-chunks"  # V04; f, s, d
TILE_TOO_LARGE: Final = "tile-too-large"  # V05; e, s, d, op
# V06 tile, V16 element, V17 array slot, Q06 event slot (kind: "tile", "element", "slot", "event");
# index (as written is the span), least, greatest (str), low (bool: the least one is
# the violation), extent (str), d, name. V17 with a wrong count of
# subscripts: kind "subscripts", r, k.
INDEX_OUT_OF_RANGE: Final = "index-out-of-range"
WINDOW_START: Final = "window-start"  # V07; offset, extent (str), d
CHUNK_REMAINDER: Final = "chunk-remainder"  # V08; r (elements skipped), s, f, d
RESHAPE_COUNT: Final = "reshape-count"  # V09; a, b (str)
RESHAPE_UNPROVEN: Final = "reshape-unproven"  # V10; a, b (str)
RESHAPE_GAPS: Final = "reshape-gaps"  # V11; proved (bool)
CALL_GAPS: Final = "call-gaps"  # V12; name, function
SQUEEZE_PLACE: Final = "squeeze-place"  # V13; -
ZERO_STEP: Final = "zero-step"  # V14; what ("step" or "stride")
INDEX_COUNT: Final = "index-count"  # V15; r, k, name
INDEX_TYPE: Final = "index-type"  # V18; t

# --- storage, parameters, functions (8.4) --------------------------------------------------------
STORAGE_AT_HOST: Final = "storage-at-host"  # M01; s, name
STORAGE_AT_DEVICE: Final = "storage-at-device"  # M02; s ("" for unqualified), name
SHARED_SCALAR_INIT: Final = "shared-scalar-init"  # M03; name, s
PARAMETER_FORM: Final = "parameter-form"  # P01; what ("global-scalar", "ref-scalar", "ref-unnamed", "ref-global"), name
RETURN_VALUE: Final = "return-value"  # P02; what ("missing", "value-in-void", "no-value"), name
RETURN_IN_PARALLEL: Final = "return-in-parallel"  # P03; -
RETURN_KIND: Final = "return-kind"  # P04; t, what
RETURN_TYPES: Final = "return-types"  # P05; t1, t2; related: the other return or the declared result
CALL_AT_HOST: Final = "call-at-host"  # P06; name
CO_CALL: Final = "co-function-call"  # 8.9; name
CALL_ARGUMENT: Final = "call-argument"  # P07; t, name
TEMPLATE_ARGUMENT: Final = "template-argument"  # P08; t, static (bool: an integer that is not static)
UNKNOWN_FUNCTION: Final = "unknown-function"  # P09; name, near
FAILED_ASSERTION: Final = "failed-assertion"  # P10; text; what ("false" or "not-bool")
PRINT_AT_COMPILE_TIME: Final = "print-at-compile-time"  # P11; -
ATOMIC_OPERANDS: Final = "atomic-operands"  # P12; name, what ("element", "storage", "type"), want, have
MATHS_OPERANDS: Final = "maths-operands"  # P13; name, what ("type"), want, have

# --- loops, as far as names decide (8.5) ---------------------------------------------------------
LOOP_VARIABLE: Final = "loop-variable"  # L16; name, t
LOOP_RANGE: Final = "loop-range"  # L17; what ("tuple", "step", "offset"), name
ZERO_LOOP: Final = "zero-loop"  # L22; name, v
