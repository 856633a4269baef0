import { createTx } from "@ethereumjs/tx";
import type { Hex } from "../../src/chain/encoding/hex.ts";
import { fromHex, toHex } from "../../src/chain/encoding/hex.ts";
import { jsonOf } from "../../src/jsonrpc/envelope.ts";
import { addressOf } from "../../src/node/accounts/accounts.ts";
import type { MinedBlock } from "../../src/node/block/minedBlock.ts";
import { planBlock } from "../../src/node/block/plan.ts";
import { decodeSigned } from "../../src/node/block/toTransaction.ts";
import { Chain } from "../../src/node/chain.ts";
import type { CallLimits, Context } from "../../src/node/context.ts";
import { developmentGenesis } from "../../src/node/developmentGenesis.ts";
import type { GenesisAccount } from "../../src/node/genesis.ts";
import { Pool } from "../../src/node/pool/pool.ts";
import { callMethods, traceMethods } from "../../src/node/rpc/calls/callMethods.ts";
import type { Methods } from "../../src/node/rpc/methods.ts";
import { Rules } from "../../src/node/rules.ts";

const KEY = fromHex(`0x${"01".repeat(32)}`);

export const SENDER = toHex(addressOf(KEY));

export interface CodeTransaction {
  readonly to?: Hex;
  readonly data?: Hex;
  readonly value?: bigint;
  readonly gas?: bigint;
}

/** A chain that has some contracts from its first block, and the methods to ask it with. */
export class CodeChain {
  readonly chain: Chain;
  readonly context: Context;
  readonly #methods: Methods;
  #nonce = 0n;

  private constructor(chain: Chain, methods: Methods, callLimits?: CallLimits) {
    this.chain = chain;
    this.#methods = methods;
    const absent = () => {
      throw new Error("nothing waits on this chain");
    };
    // The rest of a node takes no part in calls.
    const isAutomine = () => false;
    const pool = new Pool({ chain, kzg: { verify: async () => true }, acceptsCellProofs: false });
    const own = { chain, pool, pending: absent, pendingState: absent, isAutomine };
    this.context = { ...own, ...(callLimits && { callLimits }) } as unknown as Context;
  }

  static async open(
    contracts: Readonly<Record<Hex, GenesisAccount>> = {},
    { limits, methods = {} }: { limits?: CallLimits; methods?: Methods } = {},
  ): Promise<CodeChain> {
    const plain = developmentGenesis({ chainId: 677, gasLimit: 30_000_000, timestamp: 1000, funded: [SENDER] });
    const genesis = { ...plain, alloc: { ...plain.alloc, ...contracts } };
    const chain = await Chain.open(undefined, genesis, new Rules(genesis));
    return new CodeChain(chain, { ...callMethods, ...traceMethods, ...methods }, limits);
  }

  async ask(method: string, ...params: unknown[]): Promise<unknown> {
    return JSON.parse(jsonOf(await this.#methods[method]!(this.context, params)));
  }

  async mine(...transactions: CodeTransaction[]): Promise<MinedBlock> {
    const plan = planBlock(this.chain.head.header, this.chain.rules, {
      timestamp: this.chain.head.header.timestamp + 12,
    });
    const waiting = transactions.map((tx) => this.#sign(tx, plan.rules));
    const candidates = {
      next: () => waiting.shift(),
      refused: (_: unknown, reason: Error) => {
        throw reason;
      },
    };
    const block = await this.chain.extend({
      plan: () => plan,
      candidates: () => candidates,
      sidecars: () => new Map(),
      kept: async () => {},
    });
    return block!;
  }

  #sign({ to, data = "0x", value = 0n, gas = 1_000_000n }: CodeTransaction, rules: ReturnType<Rules["at"]>) {
    const fields = { type: 2, chainId: 677n, nonce: this.#nonce++, gasLimit: gas, value, data: fromHex(data) };
    const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
    const tx = createTx({ ...fields, ...fees, ...(to && { to }) }, { common: rules, freeze: false });
    return decodeSigned(tx.sign(KEY).serialize(), rules);
  }
}
