import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { posix } from "node:path";
import type { SourcedContract } from "./artifacts.ts";

/** Compiler and settings of a contract of the demonstration. */
export interface Compilation {
  /** The package with its sources; undefined for Oriel's own. */
  readonly package: string | undefined;
  readonly path: string;
  readonly name: string;
  readonly compiler: string;
  readonly settings: object;
  /** SPDX identifier. */
  readonly license: string;
}

const optimized = (runs: number) => ({ enabled: true, runs });

const own = (name: string): Compilation => ({
  package: undefined,
  path: `${name}.sol`,
  name,
  compiler: "0.8.37+commit.f401782d",
  settings: { evmVersion: "prague", optimizer: optimized(200) },
  license: "MIT",
});

const v2 = (name: string, compiler: string, folder: string, path = `contracts/${name}.sol`): Compilation => ({
  package: `@uniswap/${folder}`,
  path,
  name,
  compiler,
  settings: { evmVersion: "istanbul", optimizer: optimized(999_999) },
  license: "GPL-3.0-or-later",
});

const v2Core = (name: string) => v2(name, "0.5.16+commit.9c3226ce", "v2-core");
const v2Periphery = (name: string, path?: string) => v2(name, "0.6.6+commit.6c089d02", "v2-periphery", path);

const openzeppelin = (name: string, folder: string): Compilation => ({
  package: "@openzeppelin/contracts",
  path: `contracts/${folder}/${name}.sol`,
  name,
  compiler: "0.8.13+commit.abaa5c0e",
  settings: { optimizer: optimized(200) },
  license: "MIT",
});

export const COMPILATIONS: Readonly<Record<SourcedContract, Compilation>> = {
  WETH9: v2Periphery("WETH9", "contracts/test/WETH9.sol"),
  DeflatingERC20: v2Periphery("DeflatingERC20", "contracts/test/DeflatingERC20.sol"),
  UniswapV2Factory: v2Core("UniswapV2Factory"),
  UniswapV2Pair: v2Core("UniswapV2Pair"),
  UniswapV2Router02: v2Periphery("UniswapV2Router02"),
  ERC721: openzeppelin("ERC721PresetMinterPauserAutoId", "token/ERC721/presets"),
  ERC1155: openzeppelin("ERC1155PresetMinterPauser", "token/ERC1155/presets"),
  ERC1967Proxy: openzeppelin("ERC1967Proxy", "proxy/ERC1967"),
  Factory: own("Factory"),
  Token: own("Token"),
  Wallet: own("Wallet"),
};

const require = createRequire(import.meta.url);

/** Reads a source of a package, or of one that it depends on. */
export function readPackaged(name: string | undefined, path: string): string {
  if (name === undefined) return readFileSync(require.resolve(path), "utf8");
  const manifest = require.resolve(`${name}/package.json`);
  return readFileSync(createRequire(manifest).resolve(placeOf(name, path)), "utf8");
}

/** OpenZeppelin publishes its `contracts` as the root of the package. */
function placeOf(name: string, path: string): string {
  if (!path.startsWith("contracts/")) return path;
  return name === "@openzeppelin/contracts" ? path.replace("contracts", name) : `${name}/${path}`;
}

const IMPORT = /^\s*import\s[^;]*?["']([^"']+)["']\s*;/gm;

/** A source and all that it imports, by path. */
export function collectSources(read: (path: string) => string, entry: string): Record<string, string> {
  const sources: Record<string, string> = {};
  const visit = (path: string) => {
    if (sources[path] !== undefined) return;
    const text = read(path);
    sources[path] = text;
    for (const [, target = ""] of text.matchAll(IMPORT)) {
      visit(target.startsWith(".") ? posix.join(posix.dirname(path), target) : target);
    }
  };
  visit(entry);
  return sources;
}
