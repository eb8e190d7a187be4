#!/usr/bin/env bash
# Installs IREE Turbine with IREE's compiler and runtime into `packages` beside this file, without touching the PyTorch that is there.
# Usage: install.sh [PYTHON]
set -euo pipefail
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$folder/../install_packages.sh"
install_packages "$folder" "${1:-$folder/../../../.venv/bin/python}" iree-turbine==3.9.0 iree-base-compiler==3.9.0 iree-base-runtime==3.9.0 \
  ml_dtypes==0.5.4 decorator==5.2.1
