import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { encodeCall, encodeValues } from "../../../src/chain/abi/encodeCall.ts";
import type { Block } from "../../../src/chain/block/block.ts";
import type { Hex } from "../../../src/chain/encoding/hex.ts";
import { fromHex, quantity, toHex } from "../../../src/chain/encoding/hex.ts";
import { keccak256 } from "../../../src/chain/hashing/keccak.ts";
import type { Actor } from "../../../src/demo/actors.ts";
import type { Intent } from "../../../src/demo/intent.ts";
import { compile } from "../solidity.ts";
import type { ExchangeChain } from "./chain.ts";
import { ZERO_ADDRESS } from "./scene.ts";

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

struct Key { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }
struct Swapping { bool zeroForOne; int256 amountSpecified; uint160 sqrtPriceLimitX96; }
struct Change { int24 tickLower; int24 tickUpper; int256 liquidityDelta; bytes32 salt; }

interface IManager {
  function unlock(bytes calldata data) external returns (bytes memory);
  function modifyLiquidity(Key memory key, Change memory change, bytes calldata data) external returns (int256, int256);
  function sync(address currency) external;
  function settle() external payable returns (uint256);
  function take(address currency, address to, uint256 amount) external;
}

interface IToken { function transferFrom(address from, address to, uint256 value) external returns (bool); }

/// Positions are tokens, minted before their liquidity is added, as the published position manager does.
contract Positions {
  event Transfer(address indexed from, address indexed to, uint256 indexed id);

  IManager private immutable manager;
  uint256 public last;
  mapping(uint256 => address) public ownerOf;

  constructor(IManager manager_) { manager = manager_; }

  function mint(Key calldata key, int24 lower, int24 upper, int256 liquidity, address to) external {
    ownerOf[++last] = to;
    emit Transfer(address(0), to, last);
    change(last, key, lower, upper, liquidity);
  }

  function change(uint256 id, Key calldata key, int24 lower, int24 upper, int256 liquidity) public {
    manager.unlock(abi.encode(msg.sender, key, Change(lower, upper, liquidity, bytes32(id))));
  }

  function transfer(uint256 id, address to) external {
    emit Transfer(ownerOf[id], to, id);
    ownerOf[id] = to;
  }

  function unlockCallback(bytes calldata data) external returns (bytes memory) {
    (address payer, Key memory key, Change memory wanted) = abi.decode(data, (address, Key, Change));
    (int256 delta,) = manager.modifyLiquidity(key, wanted, "");
    pay(payer, key.currency0, int256(int128(delta >> 128)));
    pay(payer, key.currency1, int256(int128(delta)));
    return "";
  }

  function pay(address payer, address currency, int256 amount) private {
    if (amount > 0) manager.take(currency, payer, uint256(amount));
    if (amount >= 0) return;
    manager.sync(currency);
    IToken(currency).transferFrom(payer, address(manager), uint256(-amount));
    manager.settle();
  }
}

/// Lets nobody swap but its owner, at the fee that this likes.
contract Gate {
  address private immutable owner;
  uint24 public fee = 12345;

  constructor(address owner_) { owner = owner_; }

  function setFee(uint24 to) external { fee = to; }

  function beforeSwap(address, Key calldata, Swapping calldata, bytes calldata) external view returns (bytes4, int256, uint24) {
    require(tx.origin == owner, "not the owner");
    return (this.beforeSwap.selector, 0, fee | 0x400000);
  }
}

contract Maker {
  function make(bytes memory code, uint256 salt) external returns (address made) {
    assembly { made := create2(0, add(code, 32), mload(code), salt) }
    require(made != address(0), "not made");
  }
}
`;

export const SWAP = "swap((address,address,uint24,int24,address),(bool,int256,uint160),(bool,bool),bytes)";
const MODIFY = "modifyLiquidity((address,address,uint24,int24,address),(int24,int24,int256,bytes32),bytes)";

/** A permission in the address of hooks. */
const BEFORE_SWAP = 1n << 7n;
const PERMISSIONS = (1n << 14n) - 1n;

export interface PoolV4 {
  readonly key: readonly [Hex, Hex, bigint, bigint, Hex];
  readonly id: Hex;
}

const require = createRequire(import.meta.url);

function codeOf(name: string): Hex {
  const path = require.resolve(`@uniswap/v4-core/out/${name}.sol/${name}.json`);
  return (JSON.parse(readFileSync(path, "utf8")) as { bytecode: { object: Hex } }).bytecode.object;
}

export const managerCodeV4 = (): Hex => codeOf("PoolManager");

/** The published contracts of Uniswap V4 on an embedded chain. */
export class UniswapV4 {
  readonly chain: ExchangeChain;
  readonly manager: Hex;
  readonly swaps: Hex;
  readonly liquidity: Hex;
  readonly positions: Hex;
  readonly #own: ReturnType<typeof compile>;

  private constructor(
    chain: ExchangeChain,
    manager: Hex,
    others: readonly [Hex, Hex, Hex],
    own: ReturnType<typeof compile>,
  ) {
    this.chain = chain;
    this.manager = manager;
    [this.swaps, this.liquidity, this.positions] = others;
    this.#own = own;
  }

  static async deploy(chain: ExchangeChain): Promise<UniswapV4> {
    const own = compile(SOURCE);
    const manager = await chain.deploy(codeOf("PoolManager"), ["address"], chain.builder.address);
    const others = [codeOf("PoolSwapTest"), codeOf("PoolModifyLiquidityTest"), own.Positions!.bytecode];
    const placed: Hex[] = [];
    for (const code of others) placed.push(await chain.deploy(code, ["address"], manager));
    return new UniswapV4(chain, manager, placed as [Hex, Hex, Hex], own);
  }

  async open(a: Hex, b: Hex, fee: number, spacing: number, price: bigint, hooks = ZERO_ADDRESS): Promise<PoolV4> {
    const [currency0, currency1] = a < b ? [a, b] : [b, a];
    const key = [currency0, currency1, BigInt(fee), BigInt(spacing), hooks] as const;
    const signature = "initialize((address,address,uint24,int24,address),uint160)";
    await this.chain.send(this.chain.builder, this.manager, signature, [...key], price);
    return { key, id: poolIdOf(key) };
  }

  change(
    { key }: PoolV4,
    from: Actor,
    [lower, upper]: readonly [number, number],
    liquidity: bigint,
    salt = 0n,
  ): Intent {
    const word: Hex = `0x${salt.toString(16).padStart(64, "0")}`;
    const intent = this.chain.intent(
      from,
      this.liquidity,
      MODIFY,
      [...key],
      [BigInt(lower), BigInt(upper), liquidity, word],
      "0x",
    );
    return isNative(key) && liquidity > 0n ? { ...intent, value: 10n ** 21n } : intent;
  }

  swap(pool: PoolV4, from: Actor, isToken0: boolean, amount: bigint): Intent {
    const { data, value } = this.#swapCall(pool, isToken0, amount);
    return { from, to: this.swaps, data, gas: 6_000_000, ...(value > 0n && { value }) };
  }

  #swapCall({ key }: PoolV4, isToken0: boolean, amount: bigint): { data: Hex; value: bigint } {
    const limit = isToken0 ? 4_295_128_740n : 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_341n;
    const data = encodeCall(SWAP, [...key], [isToken0, -amount, limit], [false, false], "0x");
    return { data, value: isNative(key) && isToken0 ? amount : 0n };
  }

  /** What the contracts pay for an exact input now; undefined if they refuse it or do not take all of it. */
  async output(pool: PoolV4, isToken0: boolean, amount: bigint): Promise<bigint | undefined> {
    const { data, value } = this.#swapCall(pool, isToken0, amount);
    const question = { from: this.chain.actors[2]!.address, to: this.swaps, data, value: quantity(value) };
    const answer = await this.chain.development
      .ask<Hex>("eth_call", { ...question, gas: quantity(100_000_000) }, quantity(this.chain.height))
      .catch(() => undefined);
    if (answer === undefined) return undefined;
    const delta = BigInt(answer);
    const amounts = [BigInt.asIntN(128, delta >> 128n), BigInt.asIntN(128, delta)] as const;
    const [into, out] = isToken0 ? amounts : [amounts[1], amounts[0]];
    return -into === amount ? out : undefined;
  }

  /** Price, tick, both protocol fees and the liquidity in range, from the storage of the manager. */
  async state({ id }: PoolV4) {
    const slot = BigInt(toHex(keccak256(fromHex(encodeValues(["bytes32", "uint256"], id, 6n)))));
    const read = async (at: bigint) => {
      const word = `0x${BigInt.asUintN(256, at).toString(16).padStart(64, "0")}`;
      return (await this.chain.call(this.manager, this.chain.height, "extsload(bytes32)", word))[0]!;
    };
    const word = await read(slot);
    return {
      sqrtPrice: BigInt.asUintN(160, word),
      tick: BigInt.asIntN(24, word >> 160n),
      protocolFee: [BigInt.asUintN(12, word >> 184n), BigInt.asUintN(12, word >> 196n)],
      liquidity: await read(slot + 3n),
    };
  }

  /** Hooks of an address that says that they want to be asked before each swap. */
  async gate(owner: Actor): Promise<Hex> {
    const { chain } = this;
    const maker = await chain.deploy(this.#own.Maker!.bytecode);
    const code: Hex = `${this.#own.Gate!.bytecode}${encodeValues(["address"], owner.address).slice(2)}`;
    const hash = toHex(keccak256(fromHex(code))).slice(2);
    for (let salt = 0n; ; salt++) {
      const word = salt.toString(16).padStart(64, "0");
      const address = toHex(keccak256(fromHex(`0xff${maker.slice(2)}${word}${hash}`)).subarray(12));
      if ((BigInt(address) & PERMISSIONS) !== BEFORE_SWAP) continue;
      await chain.send(chain.builder, maker, "make(bytes,uint256)", code, salt);
      return address;
    }
  }
}

const isNative = ([currency0]: PoolV4["key"]) => currency0 === ZERO_ADDRESS;

export function poolIdOf(key: PoolV4["key"]): Hex {
  return toHex(keccak256(fromHex(encodeValues(["address", "address", "uint24", "int24", "address"], ...key))));
}

/** Words of the logs of one pool, by the topic that they begin with. */
export function logsOfPool({ receipts }: Block, manager: Hex, id: Hex, topic: string): bigint[][] {
  return receipts
    .flatMap(({ logs }) => logs)
    .filter(
      ({ address, topics }) => toHex(address) === manager && toHex(topics.subarray(0, 64)) === `${topic}${id.slice(2)}`,
    )
    .map(({ data }) => (toHex(data).slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`)));
}
