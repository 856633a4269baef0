#!/bin/sh
# Installs the libraries that test/clients/etherscanLibraries.test.ts drives into a folder: install.sh DIR
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/go"
cd "$1"
npm install --prefix . --no-save --ignore-scripts etherscan-api@100.0.0
python3 -m venv venv
venv/bin/pip install --quiet etherscan-python==2.1.0 aioetherscan==0.9.4
cp "$here/client.go" go/main.go
cd go
[ -f go.mod ] || go mod init clients
go get github.com/nanmu42/etherscan-api@v1.10.0
go build -o client .
