import type { Encodable } from "../../../src/chain/abi/encode.ts";
import { encodeCall, encodeValues } from "../../../src/chain/abi/encodeCall.ts";
import type { Block } from "../../../src/chain/block/block.ts";
import type { Hex } from "../../../src/chain/encoding/hex.ts";
import { quantity, toHex } from "../../../src/chain/encoding/hex.ts";
import type { Actor } from "../../../src/demo/actors.ts";
import { Actors } from "../../../src/demo/actors.ts";
import type { Intent } from "../../../src/demo/intent.ts";
import { signIntent } from "../../../src/demo/intent.ts";
import { nextFees } from "../../../src/node/block/plan.ts";
import type { Node } from "../../../src/node/node.ts";
import { DevelopmentNode } from "../developmentNode.ts";

const GAS = 6_000_000;
const TIP = 1_000_000_000n;

/** An embedded chain whose blocks are made of what is asked for, and can be taken back. */
export class ExchangeChain {
  readonly development: DevelopmentNode;
  readonly actors: readonly Actor[];
  #nonces = new Map<Hex, number>();
  readonly #noncesAt = new Map<number, Map<Hex, number>>();

  private constructor(development: DevelopmentNode, actors: readonly Actor[]) {
    this.development = development;
    this.actors = actors;
  }

  static async open(chainId = 677): Promise<ExchangeChain> {
    const { people } = new Actors("exchange");
    const actors = people.slice(0, 5);
    const development = await DevelopmentNode.open({
      chainId,
      gasLimit: 300_000_000,
      mines: false,
      funded: actors.map(({ address }) => address),
    });
    return new ExchangeChain(development, actors);
  }

  get node(): Node {
    return this.development.node;
  }

  get builder(): Actor {
    return this.actors[0]!;
  }

  get head(): Block {
    return this.node.context.chain.head;
  }

  get height(): number {
    return this.head.header.number;
  }

  /** Makes a block of these, `seconds` after the one before. What reverts is in it too. */
  async mine(intents: readonly Intent[], seconds = 12): Promise<Block> {
    const { chain, miner } = this.node.context;
    const { header } = chain.head;
    const timestamp = header.timestamp + seconds;
    const rules = chain.rules.at({ number: header.number + 1, timestamp });
    const { baseFeePerGas: baseFee } = nextFees(header, chain.rules, rules);
    this.#noncesAt.set(header.number, new Map(this.#nonces));
    const signed = intents.map((intent) => {
      const { address } = intent.from;
      const nonce = this.#nonces.get(address) ?? 0;
      this.#nonces.set(address, nonce + 1);
      return signIntent(intent, { rules, nonce, baseFee, tip: TIP });
    });
    const block = await miner.mineTransactions(signed, { timestamp });
    if (block.transactions.length !== intents.length) throw new Error("a transaction was refused");
    return block;
  }

  /** Deploys in a block of its own; answers the address. */
  async deploy(code: Hex, types: readonly string[] = [], ...values: readonly Encodable[]): Promise<Hex> {
    const data: Hex = `${code}${encodeValues(types, ...values).slice(2)}`;
    const { receipts } = await this.mine([{ from: this.builder, data, gas: 20_000_000 }]);
    const [{ status, contractAddress }] = receipts as [(typeof receipts)[number]];
    if (status !== 1 || contractAddress === null) throw new Error("the contract was not created");
    return toHex(contractAddress);
  }

  intent(from: Actor, to: Hex, signature: string, ...values: readonly Encodable[]): Intent {
    return { from, to, data: encodeCall(signature, ...values), gas: GAS };
  }

  async send(from: Actor, to: Hex, signature: string, ...values: readonly Encodable[]): Promise<Block> {
    const block = await this.mine([this.intent(from, to, signature, ...values)]);
    if (block.receipts[0]!.status !== 1) throw new Error(`${signature} reverted`);
    return block;
  }

  /** Words returned at a block. On a busy machine the node may time the call out. */
  async call(to: Hex, block: number, signature: string, ...values: readonly Encodable[]): Promise<bigint[]> {
    const question = { to, data: encodeCall(signature, ...values), gas: quantity(100_000_000) };
    const ask = () => this.development.ask<Hex>("eth_call", question, quantity(block));
    for (let attempts = 1; ; attempts++) {
      try {
        const answer = await ask();
        return (answer.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));
      } catch (error) {
        if (attempts === 5 || !/execution aborted/.test((error as Error).message)) throw error;
      }
    }
  }

  async idle(blocks: number, seconds = 12): Promise<void> {
    for (let made = 0; made < blocks; made++) await this.mine([], seconds);
  }

  async rewind(number: number): Promise<void> {
    await this.node.context.chain.rewind(number);
    this.#nonces = this.#noncesAt.get(number) ?? this.#nonces;
  }

  close(): Promise<void> {
    return this.development.close();
  }
}
