"""Prints what the schedules of the package checkpoint_schedules do, one action a line, in adtape's words.

Each case begins with a line "case KIND ARGUMENTS". Reads the cases from standard input, one a line.
"""
import sys

from checkpoint_schedules import (Copy, DiskRevolve, EndForward, EndReverse, Forward, MixedCheckpointSchedule, Move,
                                  MultistageCheckpointSchedule, Reverse, StorageType, TwoLevelCheckpointSchedule)

LEVELS = {StorageType.RAM: "memory", StorageType.DISK: "disk"}


def schedule_of(kind, a):
    if kind == "multistage":
        return MultistageCheckpointSchedule(a[0], a[1], a[2], trajectory="revolve"), a[0]
    if kind == "two_level":
        return TwoLevelCheckpointSchedule(a[1], a[2], binomial_storage=StorageType.RAM,
                                          binomial_trajectory="revolve"), a[0]
    if kind == "mixed":
        return MixedCheckpointSchedule(a[0], a[1], storage=StorageType.RAM), a[0]
    return DiskRevolve(a[0], a[1], uf=1, ub=1, wd=a[2], rd=a[3]), a[0]


def stream(schedule, steps):
    """Pairs of an action's name and the rest of the line."""
    # A snapshot is read from its level; what is read may be a step's tape.
    tapes = set()
    for action in schedule:
        if isinstance(action, Forward):
            first, last = action.n0, min(action.n1, steps)
            if action.write_ics:
                yield f"save {first} {LEVELS[action.storage]}"
            if not action.write_adj_deps:
                yield f"advance {first} {last}"
            elif action.storage in LEVELS:
                tapes.add(first)
                yield f"record {first}"
            if action.n1 >= steps and schedule.max_n is None:
                schedule.finalize(steps)
        elif isinstance(action, Reverse):
            for step in range(action.n1 - 1, action.n0 - 1, -1):
                yield f"reverse {step}" if step in tapes else f"turn {step}"
        elif isinstance(action, (Copy, Move)):
            if action.n not in tapes:
                yield f"load {action.n} {LEVELS[action.from_storage]}"
                if isinstance(action, Move):
                    yield f"drop {action.n}"
        elif isinstance(action, EndReverse):
            return
        else:
            assert isinstance(action, EndForward)


for line in sys.stdin:
    kind, *arguments = line.split()
    print("case", line.strip())
    for text in stream(*schedule_of(kind, [int(a) for a in arguments])):
        print(text)
