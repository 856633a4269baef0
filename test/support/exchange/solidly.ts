import { encodeCall } from "../../../src/chain/abi/encodeCall.ts";
import type { Hex } from "../../../src/chain/encoding/hex.ts";
import { quantity, toHex } from "../../../src/chain/encoding/hex.ts";
import type { SolidlyGeneration } from "../../../src/chain/exchange/exchangeFields.ts";
import type { Actor } from "../../../src/demo/actors.ts";
import type { Intent } from "../../../src/demo/intent.ts";
import { POOL_TOPICS } from "../simulatedPools.ts";
import type { Compiled } from "../solidity.ts";
import { compile } from "../solidity.ts";
import type { ExchangeChain } from "./chain.ts";
import { SOLIDLY_SOURCE } from "./solidlySource.ts";

export interface SolidlyPool {
  readonly address: Hex;
  readonly tokens: readonly [Hex, Hex];
  readonly isStable: boolean;
  readonly exchange: Solidly;
}

let compiled: Record<string, Compiled> | undefined;

/** A factory of either generation, whose fees anybody sets. */
export class Solidly {
  readonly chain: ExchangeChain;
  readonly generation: SolidlyGeneration;
  readonly factory: Hex;
  readonly router: Hex;

  private constructor(chain: ExchangeChain, generation: SolidlyGeneration, factory: Hex, router: Hex) {
    this.chain = chain;
    this.generation = generation;
    this.factory = factory;
    this.router = router;
  }

  static async deploy(chain: ExchangeChain, generation: SolidlyGeneration): Promise<Solidly> {
    compiled ??= compile(SOLIDLY_SOURCE);
    const factory = await chain.deploy(compiled.Factory!.bytecode, ["bool"], generation === 1);
    return new Solidly(chain, generation, factory, await chain.deploy(compiled.Router!.bytecode));
  }

  async open(a: Hex, b: Hex, isStable: boolean): Promise<SolidlyPool> {
    const signature = "createPool(address,address,bool)";
    const { receipts } = await this.chain.send(this.chain.builder, this.factory, signature, a, b, isStable);
    const name = this.generation === 1 ? "solidlyPair" : "solidlyPool";
    const log = receipts[0]!.logs.find(({ topics }) => toHex(topics.subarray(0, 32)) === POOL_TOPICS[name])!;
    const at = this.generation === 1 ? 32 + 12 : 12;
    const address = toHex(log.data.subarray(at, at + 20));
    return { address, tokens: a < b ? [a, b] : [b, a], isStable, exchange: this };
  }

  swap({ address }: SolidlyPool, from: Actor, token: Hex, amount: bigint): Intent {
    return this.chain.intent(from, this.router, "swap(address,address,uint256)", address, token, amount);
  }

  /** Takes the first amounts and gives the others, all in one call of the pool. */
  flash({ address }: SolidlyPool, from: Actor, amounts: readonly [bigint, bigint, bigint, bigint]): Intent {
    const signature = "flash(address,uint256,uint256,uint256,uint256)";
    return this.chain.intent(from, this.router, signature, address, ...amounts);
  }

  add({ address }: SolidlyPool, from: Actor, amounts: readonly [bigint, bigint]): Intent {
    return this.chain.intent(from, this.router, "add(address,uint256,uint256)", address, ...amounts);
  }

  remove({ address }: SolidlyPool, from: Actor, shares: bigint): Intent[] {
    return [
      this.chain.intent(from, address, "transfer(address,uint256)", address, shares),
      this.chain.intent(from, address, "burn(address)", from.address),
    ];
  }

  /** Of all pools of a kind, or of one. */
  setFee(pool: SolidlyPool, fee: bigint, isOwn: boolean): Intent {
    const { builder } = this.chain;
    return isOwn && this.generation === 2
      ? this.chain.intent(builder, this.factory, "setCustomFee(address,uint256)", pool.address, fee)
      : this.chain.intent(builder, this.factory, "setFee(bool,uint256)", pool.isStable, fee);
  }

  /** In basis points, after a block. */
  async feeOf({ address, isStable }: SolidlyPool, block = this.chain.height): Promise<bigint> {
    const [fee] = await (this.generation === 1
      ? this.chain.call(this.factory, block, "getFee(bool)", isStable)
      : this.chain.call(this.factory, block, "getFee(address,bool)", address, isStable));
    return fee!;
  }

  /** What the contract says that it pays now; undefined where it reverts. */
  async output({ address }: SolidlyPool, token: Hex, amount: bigint): Promise<bigint | undefined> {
    const data = encodeCall("getAmountOut(uint256,address)", amount, token);
    const question = { to: address, data, gas: quantity(100_000_000) };
    const answer = this.chain.development.ask<Hex>("eth_call", question, quantity(this.chain.height));
    return answer.then(BigInt, () => undefined);
  }

  /** Reserves, and what the pool has. */
  async state({ address, tokens }: SolidlyPool) {
    const { chain } = this;
    const [reserve0, reserve1] = await chain.call(address, chain.height, "getReserves()");
    const balances = await Promise.all(
      tokens.map(async (token) => (await chain.call(token, chain.height, "balanceOf(address)", address))[0]!),
    );
    const [supply] = await chain.call(address, chain.height, "totalSupply()");
    return {
      reserves: [reserve0!, reserve1!] as const,
      balances: [balances[0]!, balances[1]!] as const,
      supply: supply!,
    };
  }

  async sharesOf({ address }: SolidlyPool, owner: Hex): Promise<bigint> {
    const [shares] = await this.chain.call(address, this.chain.height, "balanceOf(address)", owner);
    return shares!;
  }

  /** What `claimFees` would pay now. */
  async claimable({ address }: SolidlyPool, owner: Hex): Promise<[bigint, bigint]> {
    const question = { from: owner, to: address, data: encodeCall("claimFees()") };
    const answer = await this.chain.development.ask<Hex>("eth_call", question, quantity(this.chain.height));
    return [BigInt(answer.slice(0, 66)), BigInt(`0x${answer.slice(66, 130)}`)];
  }
}
