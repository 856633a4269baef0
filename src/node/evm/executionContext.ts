import type { EVMRunCallOpts, ExecResult } from "@ethereumjs/evm";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Pace } from "../state/pace.ts";
import type { WorldState } from "../state/worldState.ts";
import type { Fork } from "./fork.ts";
import type { Journal } from "./journal.ts";
import type { Watcher } from "./watcher.ts";

type Block = NonNullable<EVMRunCallOpts["block"]>;

export interface Precompiles {
  has(address: string): boolean;
  run(address: string, data: Bytes, gas: number): ExecResult | Promise<ExecResult>;
}

export type OnCodeless = (address: string, data: Bytes) => void;

export interface ExecutionContext {
  readonly state: WorldState;
  readonly journal: Journal;
  readonly fork: Fork;
  readonly precompiles: Precompiles;
  readonly header: Block["header"];
  readonly origin: string;
  readonly gasPrice: bigint;
  readonly blobHashes: readonly string[];
  readonly blockHash: (number: bigint) => Promise<Bytes>;
  readonly pace: Pace | undefined;
  readonly onCodeless: OnCodeless | undefined;
  readonly watcher: Watcher | undefined;
}
