# Sourced by the install.sh of each backend: `install_packages FOLDER INTERPRETER PACKAGE==VERSION...`
# Installs into FOLDER/packages, and nothing of what the interpreter has is touched: pip takes these packages alone, without what they ask for.
install_packages() {
  local folder=$1 python=$2
  shift 2
  "$python" -c 'import torch' || { echo "$python has no PyTorch" >&2; return 2; }
  local wanted installed=$folder/packages/installed.txt
  wanted="$("$python" -c 'import sys; print("python", *sys.version_info[:2])') $*"
  if [ "$(cat "$installed" 2>/dev/null)" = "$wanted" ]; then
    echo "$folder/packages has $* already"
    return 0
  fi
  rm -rf "$folder/packages"
  echo "installing $* into $folder/packages, for $python"
  "$python" -m pip install --disable-pip-version-check --quiet --no-deps --only-binary :all: --target "$folder/packages" "$@" || return
  echo "$wanted" > "$installed"
}
