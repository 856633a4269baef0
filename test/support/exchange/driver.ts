import type { Block } from "../../../src/chain/block/block.ts";
import { toHex } from "../../../src/chain/encoding/hex.ts";
import type { Intent } from "../../../src/demo/intent.ts";
import type { Random } from "../random.ts";
import type { Moment } from "./actions.ts";
import { ACTIONS_V2 } from "./actionsV2.ts";
import { ACTIONS_V3 } from "./actionsV3.ts";
import { ExchangeChain } from "./chain.ts";
import type { Reading, Wanted } from "./reading.ts";
import { readContracts } from "./reading.ts";
import type { ExchangeScene } from "./scene.ts";
import { buildScene } from "./scene.ts";

const ACTIONS = { ...ACTIONS_V2, ...ACTIONS_V3 };
const INCREASE_LIQUIDITY = "0x3067048beee31b25b2f1681f88dac838c8bba36af25bfb2b7cf7473a5847e35f";

/** Does random things with real exchanges, and knows what their contracts say after each block. */
export class ExchangeDriver {
  readonly chain: ExchangeChain;
  readonly scene: ExchangeScene;
  readonly #random: Random;
  readonly #readings = new Map<number, Reading>();
  #lastPosition: number;
  /** How often each action was sent, and how often it did not revert. */
  readonly done = new Map<string, { sent: number; succeeded: number }>();

  private constructor(chain: ExchangeChain, scene: ExchangeScene, random: Random) {
    this.chain = chain;
    this.scene = scene;
    this.#random = random;
    this.#lastPosition = scene.pools.filter(({ version }) => version === 3).length;
  }

  static async open(random: Random): Promise<ExchangeDriver> {
    const chain = await ExchangeChain.open();
    return new ExchangeDriver(chain, await buildScene(chain), random);
  }

  get holders() {
    return [...this.chain.actors.map(({ address }) => address), this.scene.trader];
  }

  /** Contract state at a block; unchanged contracts keep their previous reading. */
  async reading(block = this.chain.height): Promise<Reading> {
    const known = this.#readings.get(block);
    if (known !== undefined) return known;
    const before = this.#readings.get(block - 1);
    const wanted = before === undefined ? this.#all() : this.#concerned(block);
    const reading = await readContracts(this.chain, this.scene, block, wanted, before);
    this.#readings.set(block, reading);
    return reading;
  }

  readAll(block = this.chain.height): Promise<Reading> {
    return readContracts(this.chain, this.scene, block, this.#all());
  }

  #all(): Wanted {
    const positions = Array.from({ length: this.#lastPosition }, (_, index) => BigInt(index + 1));
    return { pools: this.scene.pools, positions, holders: this.holders };
  }

  #concerned(block: number): Wanted {
    const { receipts } = this.chain.node.context.chain.expectBlock(block);
    const words = new Set<string>();
    const ids = new Set<bigint>();
    for (const { address, topics } of receipts.flatMap(({ logs }) => logs)) {
      words.add(toHex(address));
      for (let at = 32; at < topics.length; at += 32) words.add(toHex(topics.subarray(at + 12, at + 32)));
      if (toHex(address) !== this.scene.v3.positions) continue;
      // The token is the last topic of all its events.
      ids.add(BigInt(toHex(topics.subarray(topics.length - 32))));
    }
    const pools = this.scene.pools.filter(({ address }) => words.has(address));
    const positions = [...ids].filter((id) => id > 0n && id <= BigInt(this.#lastPosition));
    return { pools, positions, holders: this.holders };
  }

  async act(count: number): Promise<Block> {
    const { chain, scene } = this;
    const random = this.#random;
    const moment: Moment = { chain, scene, pools: scene.pools, reading: await this.reading(), random };
    const names: string[] = [];
    const intents: Intent[] = [];
    while (names.length < count) {
      const [name, own] = this.#draw(moment);
      if (own.length === 0) continue;
      names.push(...own.map((_, index) => (index === own.length - 1 ? name : "before")));
      intents.push(...own);
    }
    const block = await chain.mine(
      intents,
      random.pick([1, 12, random.between(60, 4000), random.between(600, 40_000)]),
    );
    this.#note(block, names);
    return block;
  }

  async rewind(number: number): Promise<void> {
    await this.chain.rewind(number);
    for (const block of this.#readings.keys()) if (block > number) this.#readings.delete(block);
  }

  #draw(moment: Moment): [string, readonly Intent[]] {
    const all = Object.entries(ACTIONS);
    let left = this.#random.int(all.reduce((sum, [, [weight]]) => sum + weight, 0));
    const [name, [, action]] = all.find(([, [weight]]) => {
      left -= weight;
      return left < 0;
    })!;
    return [name, action(moment)];
  }

  #note({ receipts }: Block, names: readonly string[]): void {
    for (const [index, name] of names.entries()) {
      const { sent, succeeded } = this.done.get(name) ?? { sent: 0, succeeded: 0 };
      this.done.set(name, { sent: sent + 1, succeeded: succeeded + receipts[index]!.status! });
    }
    for (const { topics } of receipts.flatMap(({ logs }) => logs)) {
      if (toHex(topics.subarray(0, 32)) !== INCREASE_LIQUIDITY) continue;
      this.#lastPosition = Math.max(this.#lastPosition, Number(toHex(topics.subarray(32, 64))));
    }
  }

  close(): Promise<void> {
    return this.chain.close();
  }
}
