"""embed_assets.py FOLDER OUT - writes the console's static files as a C++ source (assets.h).

index.html becomes /console; any other file /console/ and its path. Each is compressed once, here; the same files
give the same bytes. A file of a type that is not in TYPES stops the build: its Content-Type would be a guess.
"""
import gzip
import hashlib
import pathlib
import sys

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
    ".json": "application/json",
    ".txt": "text/plain; charset=utf-8",
}
LINE_BYTES = 64


def literal(data):
    pieces = (data[i:i + LINE_BYTES] for i in range(0, len(data), LINE_BYTES))
    return "\n".join('    "' + "".join(f"\\{byte:03o}" for byte in piece) + '"' for piece in pieces)


def asset(folder, file):
    path = file.relative_to(folder).as_posix()
    kind = TYPES.get(file.suffix)
    if kind is None:
        sys.exit(f"{file}: {file.suffix} has no Content-Type in embed_assets.py")
    data = file.read_bytes()
    packed = gzip.compress(data, 9, mtime=0)
    url = "/console" if path == "index.html" else f"/console/{path}"
    named_by_content = "true" if path.startswith("assets/") else "false"
    return (f'    {{"{url}", "{kind}", "\\"{hashlib.sha256(data).hexdigest()[:32]}\\"", {named_by_content}, '
            f'{len(data)},\n     std::string_view(\n{literal(packed)},\n     {len(packed)})}},\n')


def main():
    folder, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    if folder / "index.html" not in files:
        sys.exit(f"{folder} has no index.html")
    text = ('#include "console/assets.h"\n\nnamespace mayfly::console {\nnamespace {\n\n'
            'constexpr Asset kAssets[] = {\n' + "".join(asset(folder, file) for file in files) +
            '};\n\n}  // namespace\n\nstd::span<const Asset> Assets() { return kAssets; }\n\n'
            '}  // namespace mayfly::console\n')
    out.write_text(text)


if __name__ == "__main__":
    main()
