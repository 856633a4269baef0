import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Hex } from "../../src/chain/encoding/hex.ts";
import type { GenesisAccount } from "../../src/node/genesis.ts";

export interface Environment {
  readonly currentCoinbase: Hex;
  readonly currentNumber: Hex;
  readonly currentTimestamp: Hex;
  readonly currentGasLimit: Hex;
  readonly currentDifficulty?: Hex;
  readonly currentRandom?: Hex;
  readonly currentBaseFee?: Hex;
  readonly currentExcessBlobGas?: Hex;
}

/** The transactions of a test; fields with alternatives are lists. */
export interface TransactionFields {
  readonly data: readonly Hex[];
  readonly gasLimit: readonly Hex[];
  readonly value: readonly Hex[];
  readonly gasPrice: Hex;
  readonly nonce: Hex;
  readonly to: Hex | "";
  readonly secretKey: Hex;
}

export interface Expected {
  readonly indexes: { readonly data: number; readonly gas: number; readonly value: number };
  /** State root. */
  readonly hash: Hex;
  /** Hash of the logs. */
  readonly logs: Hex;
  /** Missing in older vectors, whose transactions are all legacy ones. */
  readonly txbytes?: Hex;
  readonly expectException?: string;
}

/** One transaction in one state under one fork. */
export interface Case {
  readonly name: string;
  readonly fork: string;
  readonly environment: Environment;
  readonly accounts: Readonly<Record<string, GenesisAccount>>;
  readonly transaction: TransactionFields;
  readonly expected: Expected;
}

interface StateTest {
  readonly env: Environment;
  readonly pre: Case["accounts"];
  readonly post: Readonly<Record<string, readonly Expected[]>>;
  readonly transaction: TransactionFields;
}

/** Files whose path contains one of the words; all if there are none. */
export function findFiles(folder: string, words: readonly string[]): string[] {
  return globSync("**/*.json", { cwd: folder })
    .filter((path) => words.length === 0 || words.some((word) => path.includes(word)))
    .sort();
}

export function readCases(folder: string, path: string): Case[] {
  const tests = JSON.parse(readFileSync(join(folder, path), "utf8")) as Record<string, Partial<StateTest>>;
  return Object.entries(tests).flatMap(([name, test]) => casesOf(`${path} ${name.split("::").at(-1)}`, test));
}

/** Files of other kinds of tests have none. */
function casesOf(name: string, { env, pre, post, transaction }: Partial<StateTest>): Case[] {
  if (env === undefined || pre === undefined || post === undefined || transaction === undefined) return [];
  return Object.entries(post).flatMap(([fork, all]) => {
    return all.map((expected): Case => {
      const { data, gas, value } = expected.indexes;
      const title = `${name} ${fork} d${data}g${gas}v${value}`;
      return { name: title, fork, environment: env, accounts: pre, transaction, expected };
    });
  });
}
