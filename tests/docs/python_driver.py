"""Runs the Python blocks of a page in one process, one after the other, for sessions.py.

Each line of standard input is {"code", "name"} in JSON, each line of standard output
{"output", "error"}. A block that begins with >>> is a doctest.
"""

import contextlib
import doctest
import io
import json
import sys
import traceback


def run(code, name, variables):
    output, error = io.StringIO(), ""
    with contextlib.redirect_stdout(output):
        try:
            if code.lstrip().startswith(">>>"):
                test = doctest.DocTestParser().get_doctest(code, {}, name, name, 0)
                test.globs = variables
                report = io.StringIO()
                runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
                if runner.run(test, out=report.write, clear_globs=False).failed:
                    error = report.getvalue()
            else:
                exec(compile(code, name, "exec"), variables)
        except BaseException:  # A block may call sys.exit(), too.
            error = traceback.format_exc()
    return {"output": output.getvalue(), "error": error}


answers = sys.stdout
variables = {"__name__": "__main__"}
for line in sys.stdin:
    request = json.loads(line)
    answers.write(json.dumps(run(request["code"], request["name"], variables)) + "\n")
    answers.flush()
