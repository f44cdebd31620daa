"""From faults of runs to findings: one fault, one finding, with its story (credit-flow, section 4).

What `args` of a finding hold, beside `path` (who does it), `iteration` (in the reader's names) and `shape` (the extents
of an array of several dimensions, which `slot` numbers) where they apply:

- credit-deadlock: cause ("never-triggered", "bootstrap-missing", "bootstrap-short", "bootstrap-late", "not-returned",
  "ended", "circular", "barrier", "never-bound"), event, slot (None without an array), generation, owing (path names),
  arrived, count, slots (without a credit at start)
- stage-race: buffer, slot, access and against ("read", "write"), other (path), other_iteration, same (one path only)
- uncommitted-release, early-publish: buffer, slot, other, event
- credit-overrun: event, slot, generation, waiter, cause ("bootstrap-repeated", "surplus")
- generation-mixup: event, slot, generation, other
- order-out-of-step: event, slot, slots, what ("wait", "trigger"), own, and order or phase (the one that is written)
- unwritten-read: buffer, slot, place ("rows 64 to 127 of 'ring'") where that is no array; where only a part is meant:
  part ("rows 0 to 7 of 'a_s', slot 0"), single, event
- block-sync-in-role: paths (that do not come there)
- named-barrier-mismatch: why ("counts", "mixed", "threads", "waits"), count, expected, threads
- arrival-count-mismatch: event, expected, found, why ("written", "bootstrap", "turns", "cluster", "own"), propose
  ("event<1>")
- trip-count-mismatch: event, short and long (paths), fewer and more (turns), deadlock
- unconsumed-credit: event, slot, generation, completed, taken
- ring-mismatch: name, modulus (None where a length differs), length, expected, index (where just that is wrong),
  arrays (whose index is wrong) and ring (all of its arrays)
- unused-event: event, triggered
- stale-buffer: name, why ("tile", "empty")
- future-not-waited: name, why ("read", "accumulator", "overwritten", "never")
- future-waited-twice: name
"""
