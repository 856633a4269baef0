import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Hex } from "../../src/chain/encoding/hex.ts";

type References = Readonly<Record<string, readonly { readonly start: number; readonly length: number }[]>>;

interface Code {
  readonly object: string;
  readonly linkReferences: Readonly<Record<string, References>>;
  readonly immutableReferences?: References;
}

/** A contract in solc's output. */
export interface CompiledContract {
  readonly path: string;
  readonly name: string;
  readonly abi: readonly never[];
  readonly metadata: string;
  readonly evm: { readonly bytecode: Code; readonly deployedBytecode: Code };
}

interface Output {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Readonly<Record<string, Readonly<Record<string, Omit<CompiledContract, "path" | "name">>>>>;
}

const require = createRequire(import.meta.url);

/** Compiles sources by their paths; answers the contracts by name. */
export function compileSources(
  sources: Readonly<Record<string, string>>,
  settings: object = {},
): ReadonlyMap<string, CompiledContract> {
  const solc = require("solc") as { compile(input: string): string };
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(Object.entries(sources).map(([path, content]) => [path, { content }])),
    settings: {
      evmVersion: "prague",
      optimizer: { enabled: true, runs: 200 },
      ...settings,
      outputSelection: { "*": { "*": ["abi", "metadata", "evm.bytecode", "evm.deployedBytecode"] } },
    },
  };
  const { contracts, errors = [] } = JSON.parse(solc.compile(JSON.stringify(input))) as Output;
  const fatal = errors.filter(({ severity }) => severity === "error");
  if (fatal.length > 0) throw new Error(fatal.map(({ formattedMessage }) => formattedMessage).join("\n"));
  return new Map(
    Object.entries(contracts).flatMap(([path, own]) =>
      Object.entries(own).map(([name, contract]) => [name, { path, name, ...contract }]),
    ),
  );
}

export const SOLIDITY = "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\n";

/** A project with what sets deployed code apart from compiled code: immutables, a library, a contract that creates one. */
export const PROJECT = {
  "contracts/IVault.sol": `${SOLIDITY}
interface IVault {
  event Deposited(address indexed who, uint256 amount);
  error AboveCap(uint256 amount, uint256 cap);
  function deposit(uint256 amount) external;
}
`,
  "contracts/Sums.sol": `${SOLIDITY}
library Sums {
  function addUp(uint256 a, uint256 b) external pure returns (uint256) { return a + b; }
}
`,
  "contracts/Vault.sol": `${SOLIDITY}
import "./IVault.sol";
import "./Sums.sol";
abstract contract Owned {
  address public immutable owner;
  constructor(address first) { owner = first; }
  function rename(string memory name) external virtual;
}
contract Vault is IVault, Owned {
  uint256 public immutable cap;
  uint256 public sum;
  constructor(address first, uint256 most) Owned(first) { cap = most; }
  function deposit(uint256 amount) external {
    sum = Sums.addUp(sum, amount);
    if (sum > cap) revert AboveCap(amount, cap);
    emit Deposited(msg.sender, amount);
  }
  function rename(string memory) external view override { require(msg.sender == owner, "not you"); }
}
`,
  "contracts/Maker.sol": `${SOLIDITY}
contract Made { uint256 public immutable number; constructor(uint256 n) { number = n; } }
contract Maker {
  event MadeOne(address made);
  function make(uint256 n) external { emit MadeOne(address(new Made(n))); }
}
`,
  "contracts/Twins.sol": `${SOLIDITY}
contract East { function sunrise() external pure returns (uint256) { return 1111; } }
contract West { function sunset() external pure returns (uint256) { return 2222; } }
`,
} as const;

const unprefixed = (code: Code) => `0x${code.object}`;

/** Writes `artifacts/` as hardhat 2 or 3 does, including files that are no artifacts. */
export function writeHardhat(folder: string, contracts: Iterable<CompiledContract>, version: 2 | 3 = 2): string {
  const artifacts = join(folder, "artifacts");
  for (const { path, name, abi, evm } of contracts) {
    const artifact = {
      _format: version === 2 ? "hh-sol-artifact-1" : "hh3-artifact-1",
      contractName: name,
      sourceName: path,
      abi,
      bytecode: unprefixed(evm.bytecode),
      deployedBytecode: unprefixed(evm.deployedBytecode),
      linkReferences: evm.bytecode.linkReferences,
      deployedLinkReferences: evm.deployedBytecode.linkReferences,
      ...(version === 3 && { immutableReferences: evm.deployedBytecode.immutableReferences, inputSourceName: path }),
    };
    write(join(artifacts, path, `${name}.json`), artifact);
    if (version === 2) write(join(artifacts, path, `${name}.dbg.json`), { _format: "hh-sol-dbg-1", buildInfo: "" });
  }
  write(join(artifacts, "build-info", "0123.json"), {
    _format: "hh-sol-build-info-1",
    abi: [],
    deployedBytecode: "0x",
  });
  return artifacts;
}

/** Writes `out/` as foundry does. */
export function writeFoundry(folder: string, contracts: Iterable<CompiledContract>): string {
  const out = join(folder, "out");
  for (const { path, name, abi, evm, metadata } of contracts) {
    const code = ({ object, linkReferences, immutableReferences }: Code) => ({
      object: `0x${object}`,
      sourceMap: "",
      linkReferences,
      ...(immutableReferences !== undefined && { immutableReferences }),
    });
    const artifact = {
      abi,
      bytecode: code(evm.bytecode),
      deployedBytecode: code(evm.deployedBytecode),
      methodIdentifiers: {},
      rawMetadata: metadata,
      metadata: JSON.parse(metadata) as unknown,
      id: 1,
    };
    write(join(out, path.split("/").at(-1)!, `${name}.json`), artifact);
  }
  write(join(out, "build-info", "4567.json"), { id: "4567", source_id_to_path: {} });
  return out;
}

export function linked({ evm: { bytecode } }: CompiledContract, addresses: Readonly<Record<string, Hex>>): Hex {
  let object = bytecode.object;
  for (const [name, places] of Object.values(bytecode.linkReferences).flatMap((own) => Object.entries(own))) {
    for (const { start, length } of places) {
      object = object.slice(0, start * 2) + addresses[name]!.slice(2) + object.slice((start + length) * 2);
    }
  }
  return `0x${object}`;
}

function write(file: string, content: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(content, undefined, 2));
}
