#!/bin/sh
# Prints the Python to use: the version that .python-version names, wherever it is.
# If there is none, says what to do.
cd "$(dirname "$0")/.." || exit 1
version=$(cat .python-version)

# A pyenv shim exists for missing versions too, so each candidate is tried.
fits='import sys; sys.exit("%d.%d" % sys.version_info[:2] != sys.argv[1] or print(sys.executable))'
for candidate in .venv/bin/python "python$version" python3 python \
    "$HOME/.pyenv/versions/$version".*/bin/python \
    "/opt/homebrew/bin/python$version" "/usr/local/bin/python$version" \
    "$(uv python find --no-python-downloads "$version" 2>/dev/null)"; do
  "$candidate" -c "$fits" "$version" 2>/dev/null && exit 0
done

cat >&2 <<END
Softmark needs Python $version, and there's none on this machine.
Install it in one of these ways, then run the command again:
  Debian, Ubuntu:   sudo apt install python$version python$version-venv
  macOS:            brew install python@$version
  with pyenv:       pyenv install $version
  with uv:          uv python install $version
END
exit 1
