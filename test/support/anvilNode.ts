import { setTimeout as delay } from "node:timers/promises";
import type { Hex } from "../../src/chain/encoding/hex.ts";
import { toHex } from "../../src/chain/encoding/hex.ts";
import { deriveAccounts, TEST_MNEMONIC } from "../../src/node/accounts/accounts.ts";
import { SendingNode } from "./developmentNode.ts";
import type { RealNode } from "./realNode.ts";

/** Anvil with a funded account that sends transactions. */
export class Anvil extends SendingNode {
  readonly #node: RealNode;
  #isMining = true;

  constructor(node: RealNode) {
    super(deriveAccounts(TEST_MNEMONIC, 2).map(({ privateKey }) => toHex(privateKey)));
    this.#node = node;
  }

  override ask<T = unknown>(method: string, ...params: unknown[]): Promise<T> {
    if (method === "evm_setAutomine") this.#isMining = params[0] === true;
    return this.#node.ask<T>(method, ...params);
  }

  /** Anvil answers before the block of a transaction is made. */
  override async send(fields?: Readonly<Record<string, unknown>>): Promise<Hex> {
    const hash = await super.send(fields);
    while (this.#isMining && (await this.ask("eth_getTransactionReceipt", hash)) === null) await delay(5);
    return hash;
  }
}

/** Whether the last topic may be any: for geth, and so for the gateway, a log must have one there, for anvil it need not. */
export function endsOpen(filter: unknown): boolean {
  const { topics } = (filter ?? {}) as { topics?: unknown[] };
  const last = Array.isArray(topics) ? topics.at(-1) : undefined;
  return last === null || (Array.isArray(last) && (last.length === 0 || last.includes(null)));
}
