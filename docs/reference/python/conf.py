# Sphinx, over the docstrings of the package in build/<preset>/python (`make reference`).
# Docstrings are plain text, for help(): what they mean here is worked out below.
import re

project = "mayfly"
author = "The mayfly developers"
extensions = ["sphinx.ext.autodoc"]
html_theme = "alabaster"
html_theme_options = {"nosidebar": True}
html_show_copyright = False
html_show_sourcelink = False
add_module_names = False
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "inherited-members": True, "undoc-members": True}
# Packages that only some users have.
autodoc_mock_imports = ["aiocache", "cachelib", "django", "flask_caching"]
# There is a Database in mayfly and one in mayfly.aio; signatures name both without their module.
suppress_warnings = ["ref.python"]


def is_code(lines):
    """Indented, or in columns."""
    return lines[0].startswith(" ") or len(lines) > 1 and any(re.search(r"\S   ", line) for line in lines)


def as_rst(app, what, name, subject, options, lines):
    blocks = re.split(r"\n[ ]*\n", "\n".join(lines).strip("\n"))
    text = []
    for block in blocks:
        if is_code(block.split("\n")):
            text += ["::", "", *("    " + line for line in block.split("\n"))]
        else:
            quoted = re.sub(r"`([^`]+)`", r"``\1``", re.sub(r"([*_|])", r"\\\1", block))
            text += re.sub(r"``[^`]*``", lambda code: code[0].replace("\\", ""), quoted).split("\n")
        text.append("")
    lines[:] = text


def setup(app):
    app.connect("autodoc-process-docstring", as_rst)
