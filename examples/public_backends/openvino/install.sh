#!/usr/bin/env bash
# Installs OpenVINO into `packages` beside this file, without touching the PyTorch that is there. Usage: install.sh [PYTHON]
set -euo pipefail
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$folder/../install_packages.sh"
install_packages "$folder" "${1:-$folder/../../../.venv/bin/python}" openvino==2026.4.1
