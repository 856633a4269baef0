import { encodeCall, encodeValues } from "../../../src/chain/abi/encodeCall.ts";
import type { Hex } from "../../../src/chain/encoding/hex.ts";
import { fromHex, quantity, toHex } from "../../../src/chain/encoding/hex.ts";
import { keccak256 } from "../../../src/chain/hashing/keccak.ts";
import type { Actor } from "../../../src/demo/actors.ts";
import type { Intent } from "../../../src/demo/intent.ts";
import { compile } from "../solidity.ts";
import type { ExchangeChain } from "./chain.ts";
import { INFINITY_SOURCE } from "./infinitySource.ts";
import { ZERO_ADDRESS } from "./scene.ts";
import { managerCodeV4 } from "./v4.ts";

const KEY = "(address,address,address,address,uint24,bytes32)";

export interface InfinityPool {
  readonly key: readonly [Hex, Hex, Hex, Hex, bigint, Hex];
  readonly id: Hex;
  readonly spacing: number;
}

/** Code that is not known for that of V4, whose pools are not those of Infinity. */
const unknown = (code: Hex): Hex => `${code.slice(0, -2) as Hex}0b`;

export class PancakeInfinity {
  readonly chain: ExchangeChain;
  readonly manager: Hex;
  readonly trader: Hex;

  private constructor(chain: ExchangeChain, manager: Hex, trader: Hex) {
    this.chain = chain;
    this.manager = manager;
    this.trader = trader;
  }

  static async deploy(chain: ExchangeChain): Promise<PancakeInfinity> {
    const { InfinityManager, InfinityTrader } = compile(INFINITY_SOURCE);
    const v4 = await chain.deploy(unknown(managerCodeV4()), ["address"], chain.builder.address);
    const manager = await chain.deploy(InfinityManager!.bytecode, ["address"], v4);
    await chain.send(chain.builder, v4, "setProtocolFeeController(address)", manager);
    const trader = await chain.deploy(InfinityTrader!.bytecode, ["address", "address"], manager, manager);
    return new PancakeInfinity(chain, manager, trader);
  }

  async open(tokens: readonly [Hex, Hex], fee: number, spacing: number, price: bigint, hooks = ZERO_ADDRESS) {
    const [currency0, currency1] = tokens[0] < tokens[1] ? tokens : [tokens[1], tokens[0]];
    const parameters: Hex = `0x${(BigInt(spacing) << 16n).toString(16).padStart(64, "0")}`;
    const key = [currency0, currency1, hooks, this.manager, BigInt(fee), parameters] as const;
    await this.chain.send(this.chain.builder, this.manager, `initialize(${KEY},uint160)`, [...key], price);
    return { key, spacing, id: infinityId(key) };
  }

  setFirstProtocolFee(fee: bigint): Promise<unknown> {
    return this.chain.send(this.chain.builder, this.manager, "setFirstProtocolFee(uint24)", fee);
  }

  setProtocolFee({ key }: InfinityPool, fee: bigint): Promise<unknown> {
    return this.chain.send(this.chain.builder, this.manager, `setProtocolFee(${KEY},uint24)`, [...key], fee);
  }

  change({ key }: InfinityPool, from: Actor, [lower, upper]: readonly [number, number], by: bigint, salt = 0n): Intent {
    const wanted = [BigInt(lower), BigInt(upper), by, `0x${salt.toString(16).padStart(64, "0")}`];
    const signature = `change(${KEY},(int24,int24,int256,bytes32))`;
    const intent = this.chain.intent(from, this.trader, signature, [...key], wanted);
    return key[0] === ZERO_ADDRESS && by > 0n ? { ...intent, value: 10n ** 21n } : intent;
  }

  mint({ key }: InfinityPool, from: Actor, [lower, upper]: readonly [number, number], liquidity: bigint): Intent {
    const values = [[...key], BigInt(lower), BigInt(upper), liquidity, from.address] as const;
    return this.chain.intent(from, this.trader, `mint(${KEY},int24,int24,int256,address)`, ...values);
  }

  swap(pool: InfinityPool, from: Actor, isToken0: boolean, amount: bigint): Intent {
    const { data, value } = this.#swapCall(pool, isToken0, amount);
    return { from, to: this.trader, data, gas: 6_000_000, ...(value > 0n && { value }) };
  }

  #swapCall({ key }: InfinityPool, isToken0: boolean, amount: bigint): { data: Hex; value: bigint } {
    const limit = isToken0 ? 4_295_128_740n : 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_341n;
    const data = encodeCall(`swap(${KEY},(bool,int256,uint160))`, [...key], [isToken0, -amount, limit]);
    return { data, value: key[0] === ZERO_ADDRESS && isToken0 ? amount : 0n };
  }

  /** What the contracts pay for an exact input now; undefined if they refuse it or do not take all of it. */
  async output(pool: InfinityPool, isToken0: boolean, amount: bigint): Promise<bigint | undefined> {
    const { data, value } = this.#swapCall(pool, isToken0, amount);
    const question = { from: this.chain.actors[2]!.address, to: this.trader, data, value: quantity(value) };
    const answer = await this.chain.development
      .ask<Hex>("eth_call", { ...question, gas: quantity(100_000_000) }, quantity(this.chain.height))
      .catch(() => undefined);
    if (answer === undefined) return undefined;
    const delta = BigInt(answer);
    const amounts = [BigInt.asIntN(128, delta >> 128n), BigInt.asIntN(128, delta)] as const;
    const [into, out] = isToken0 ? amounts : [amounts[1], amounts[0]];
    return -into === amount ? out : undefined;
  }

  async state({ id }: InfinityPool) {
    const { chain, manager } = this;
    const [sqrtPrice, tick, both] = await chain.call(manager, chain.height, "getSlot0(bytes32)", id);
    const [liquidity] = await chain.call(manager, chain.height, "getLiquidity(bytes32)", id);
    const shares = [both! & 0xfffn, both! >> 12n] as const;
    return { sqrtPrice: sqrtPrice!, tick: BigInt.asIntN(24, tick!), shares, liquidity: liquidity! };
  }

  /** What the contracts have of a token, without the protocol's share. */
  async held(token: Hex): Promise<bigint> {
    return (await this.chain.call(this.manager, this.chain.height, "held(address)", token))[0]!;
  }
}

const TYPES = ["address", "address", "address", "address", "uint24", "bytes32"];

export const infinityId = (key: InfinityPool["key"]): Hex => toHex(keccak256(fromHex(encodeValues(TYPES, ...key))));
