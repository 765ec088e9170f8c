"""The installed form: `PYTHON -I -S …/marrow/surfaces/hook/run.py HOST EVENT`.

Without `site`, the interpreter starts in two thirds of the time and does not know where Marrow is: this says so. It is
compiled at every start, because a script has no compiled form; so everything else is in `turn`. The end skips what
Python does at its end, for there is nothing left to do.
"""

import os
import sys


def run() -> None:
    try:
        # Last, not first: nothing that lies beside Marrow may take the place of a part of Python.
        sys.path.append(os.path.abspath(__file__)[: -len("/marrow/surfaces/hook/run.py")])
        from marrow.surfaces.hook.turn import main

        main(sys.argv[1:])
    except BaseException:  # noqa: BLE001 a host must never see a hook of ours fail
        os._exit(0)
    os._exit(0)


if __name__ == "__main__":
    run()
