import type { Balances } from "./balances.ts";

/** A program that is measured. */
export interface Peer {
  readonly name: string;
  /** What it checks, stores and does about reorgs, and how it is set. */
  readonly settings: string;
  /** What of the balances it has; undefined if nothing. */
  readonly expects: ((all: Balances) => Balances) | undefined;
  /** Prepares it in a folder of its own, which is kept. */
  install(folder: string): Promise<string>;
  start(at: PeerPlace): Promise<RunningPeer>;
}

export interface PeerPlace {
  /** Where `install` put it. */
  readonly folder: string;
  readonly rpc: string;
  /** The newest block of the node. */
  readonly last: number;
  /** Contracts that emit transfers. */
  readonly tokens: readonly string[];
}

export interface RunningPeer {
  /** Of all processes, its database's too. */
  readonly roots: readonly number[];
  /** Its newest block, or undefined before there is one. */
  indexed(): Promise<number | undefined>;
  /** Why it ended too early, if it did. */
  failure(): string | undefined;
  balances(): Promise<Balances>;
  databaseBytes(): Promise<number>;
  stop(): Promise<void>;
}
