import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { getContractAddress } from "viem";
import { encodeCall } from "../../../src/chain/abi/encodeCall.ts";
import type { Hex } from "../../../src/chain/encoding/hex.ts";
import { quantity } from "../../../src/chain/encoding/hex.ts";
import type { Actor } from "../../../src/demo/actors.ts";
import type { Intent } from "../../../src/demo/intent.ts";
import { compile } from "../solidity.ts";
import type { ExchangeChain } from "./chain.ts";
import { NEVER, ZERO_ADDRESS } from "./scene.ts";

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IPool {
  function token0() external view returns (address);
  function token1() external view returns (address);
  function setPluginConfig(uint8 config) external;
  function setFee(uint16 fee) external;
  function swap(address to, bool zeroToOne, int256 amount, uint160 limit, bytes calldata data) external returns (int256, int256);
  function mint(address rest, address owner, int24 lower, int24 upper, uint128 liquidity, bytes calldata data) external;
  function burn(int24 lower, int24 upper, uint128 liquidity, bytes calldata data) external;
  function collect(address to, int24 lower, int24 upper, uint128 most0, uint128 most1) external;
}

interface IFactory {
  function createCustomPool(address deployer, address creator, address a, address b, bytes calldata data) external returns (address);
}

interface IToken { function transferFrom(address from, address to, uint256 value) external returns (bool); }

/// Says before each swap what fee it pays. Pools that the factory makes get it, or those that it makes itself.
contract Plugin {
  uint24 public overrideFee;
  uint24 public pluginFee;
  uint24 public burnFee;

  function set(uint24 overrideFee_, uint24 pluginFee_) external { (overrideFee, pluginFee) = (overrideFee_, pluginFee_); }
  function setBurnFee(uint24 burnFee_) external { burnFee = burnFee_; }
  function setFee(IPool pool, uint16 fee) external { pool.setFee(fee); }
  function setConfig(IPool pool, uint8 config) external { pool.setPluginConfig(config); }

  function createPool(IFactory factory, address a, address b) external returns (address) {
    return factory.createCustomPool(address(this), msg.sender, a, b, "");
  }

  function beforeCreatePoolHook(address, address, address, address, address, bytes calldata) external view returns (address) {
    return address(this);
  }
  function afterCreatePoolHook(address, address, address) external {}

  function beforeInitialize(address, uint160) external returns (bytes4) {
    IPool(msg.sender).setPluginConfig(1 | 4 | 128);
    return this.beforeInitialize.selector;
  }
  function beforeSwap(address, address, bool, int256, uint160, bool, bytes calldata) external view returns (bytes4, uint24, uint24) {
    return (this.beforeSwap.selector, overrideFee, pluginFee);
  }
  function beforeModifyPosition(address, address, int24, int24, int128 change, bytes calldata) external view returns (bytes4, uint24) {
    return (this.beforeModifyPosition.selector, change < 0 ? burnFee : 0);
  }
  function handlePluginFee(uint256, uint256) external pure returns (bytes4) { return this.handlePluginFee.selector; }
}

/// Swaps and positions of its own, paid by whoever calls it.
contract Caller {
  function swap(IPool pool, bool zeroToOne, int256 amount) external returns (int256, int256) {
    uint160 limit = zeroToOne ? 4295128740 : 1461446703485210103287273052203988822378723970341;
    return pool.swap(msg.sender, zeroToOne, amount, limit, abi.encode(msg.sender));
  }
  function mint(IPool pool, int24 lower, int24 upper, uint128 liquidity) external {
    pool.mint(msg.sender, address(this), lower, upper, liquidity, abi.encode(msg.sender));
  }
  function burn(IPool pool, int24 lower, int24 upper, uint128 liquidity) external {
    pool.burn(lower, upper, liquidity, "");
    pool.collect(msg.sender, lower, upper, type(uint128).max, type(uint128).max);
  }
  function algebraMintCallback(uint256 amount0, uint256 amount1, bytes calldata data) external {
    pay(int256(amount0), int256(amount1), data);
  }
  function algebraSwapCallback(int256 amount0, int256 amount1, bytes calldata data) external { pay(amount0, amount1, data); }
  function pay(int256 amount0, int256 amount1, bytes calldata data) private {
    address payer = abi.decode(data, (address));
    if (amount0 > 0) IToken(IPool(msg.sender).token0()).transferFrom(payer, msg.sender, uint256(amount0));
    if (amount1 > 0) IToken(IPool(msg.sender).token1()).transferFrom(payer, msg.sender, uint256(amount1));
  }
}
`;

const require = createRequire(import.meta.url);

function codeOf(part: "core" | "periphery", name: string): Hex {
  const path = require.resolve(`@cryptoalgebra/integral-${part}/artifacts/contracts/${name}.sol/${name}.json`);
  return (JSON.parse(readFileSync(path, "utf8")) as { bytecode: Hex }).bytecode;
}

const CREATE_POOL = "createPool(address,address,bytes)";
const MINT = "mint((address,address,address,int24,int24,uint256,uint256,uint256,uint256,address,uint256))";

export interface AlgebraPool {
  readonly address: Hex;
  readonly tokens: readonly [Hex, Hex];
  readonly deployer: Hex;
}

interface Addresses {
  readonly factory: Hex;
  readonly positions: Hex;
  /** Gets what the community takes. */
  readonly vault: Hex;
  readonly caller: Hex;
  readonly plugin: Hex;
}

/** The published contracts of Algebra Integral on an embedded chain. */
export class Algebra {
  readonly chain: ExchangeChain;
  readonly at: Addresses;

  private constructor(chain: ExchangeChain, at: Addresses) {
    this.chain = chain;
    this.at = at;
  }

  static async deploy(chain: ExchangeChain, wrappedCoin: Hex): Promise<Algebra> {
    const own = compile(SOURCE);
    const from = chain.builder.address;
    const nonce = BigInt(await chain.development.ask<Hex>("eth_getTransactionCount", from, "latest"));
    // Each of the first two contracts needs the address of the other.
    const factory = getContractAddress({ from, nonce: nonce + 1n }).toLowerCase() as Hex;
    const deployer = await chain.deploy(codeOf("core", "AlgebraPoolDeployer"), ["address"], factory);
    await chain.deploy(codeOf("core", "AlgebraFactory"), ["address"], deployer);
    const vault = await chain.deploy(codeOf("core", "AlgebraCommunityVault"), ["address", "address"], factory, from);
    const vaults = await chain.deploy(codeOf("core", "AlgebraVaultFactoryStub"), ["address"], vault);
    await chain.send(chain.builder, factory, "setVaultFactory(address)", vaults);
    const types = ["address", "address", "address", "address"];
    const values = [factory, wrappedCoin, ZERO_ADDRESS, deployer];
    const positions = await chain.deploy(codeOf("periphery", "NonfungiblePositionManager"), types, ...values);
    const caller = await chain.deploy(own.Caller!.bytecode);
    const plugin = await chain.deploy(own.Plugin!.bytecode);
    return new Algebra(chain, { factory, positions, vault, caller, plugin });
  }

  /** With the plugin that the factory gives its pools, if it has one. */
  async open(a: Hex, b: Hex, price: bigint): Promise<AlgebraPool> {
    await this.chain.send(this.chain.builder, this.at.factory, CREATE_POOL, a, b, "0x");
    return this.#initialize(a, b, ZERO_ADDRESS, price);
  }

  /** With a plugin that whoever makes the pool chooses. */
  async openCustom(a: Hex, b: Hex, price: bigint): Promise<AlgebraPool> {
    const { builder } = this.chain;
    const { factory, plugin } = this.at;
    const [role] = await this.chain.call(factory, this.chain.height, "CUSTOM_POOL_DEPLOYER()");
    await this.chain.send(builder, factory, "grantRole(bytes32,address)", wordOf(role!), plugin);
    await this.chain.send(builder, plugin, "createPool(address,address,address)", factory, a, b);
    return this.#initialize(a, b, plugin, price);
  }

  async #initialize(a: Hex, b: Hex, deployer: Hex, price: bigint): Promise<AlgebraPool> {
    const tokens = a < b ? ([a, b] as const) : ([b, a] as const);
    const isCustom = deployer !== ZERO_ADDRESS;
    const signature = isCustom ? "customPoolByPair(address,address,address)" : "poolByPair(address,address)";
    const values = isCustom ? [deployer, ...tokens] : tokens;
    const [word] = await this.chain.call(this.at.factory, this.chain.height, signature, ...values);
    const address: Hex = `0x${word!.toString(16).padStart(40, "0")}`;
    await this.chain.send(this.chain.builder, address, "initialize(uint160)", price);
    return { address, tokens, deployer };
  }

  /** Liquidity of the calling contract; removed and collected where it is negative. */
  change({ address }: AlgebraPool, from: Actor, [lower, upper]: readonly [number, number], liquidity: bigint): Intent {
    const [name, size] = liquidity < 0n ? (["burn", -liquidity] as const) : (["mint", liquidity] as const);
    const signature = `${name}(address,int24,int24,uint128)`;
    return this.chain.intent(from, this.at.caller, signature, address, BigInt(lower), BigInt(upper), size);
  }

  swap({ address }: AlgebraPool, from: Actor, isToken0: boolean, amount: bigint): Intent {
    return this.chain.intent(from, this.at.caller, "swap(address,bool,int256)", address, isToken0, amount);
  }

  mint(pool: AlgebraPool, from: Actor, [lower, upper]: readonly [number, number], amounts: readonly [bigint, bigint]) {
    const range = [BigInt(lower), BigInt(upper)];
    const values = [...pool.tokens, pool.deployer, ...range, ...amounts, 0n, 0n, from.address, NEVER];
    return this.chain.intent(from, this.at.positions, MINT, values);
  }

  /** What the contract pays for an exact input now; undefined if it refuses it or does not take all of it. */
  async output({ address }: AlgebraPool, isToken0: boolean, amount: bigint): Promise<bigint | undefined> {
    const data = encodeCall("swap(address,bool,int256)", address, isToken0, amount);
    const question = { from: this.chain.actors[2]!.address, to: this.at.caller, data, gas: quantity(100_000_000) };
    const answer = await this.chain.development
      .ask<Hex>("eth_call", question, quantity(this.chain.height))
      .catch(() => undefined);
    if (answer === undefined) return undefined;
    const [amount0, amount1] = [2, 66].map((at) => BigInt.asIntN(256, BigInt(`0x${answer.slice(at, at + 64)}`)));
    const [into, out] = isToken0 ? [amount0!, amount1!] : [amount1!, amount0!];
    return into === amount ? -out : undefined;
  }

  /** What the pool says of itself. */
  async state({ address }: AlgebraPool) {
    const read = (signature: string) => this.chain.call(address, this.chain.height, signature);
    const [sqrtPrice, tick, fee, config, communityFee] = await read("globalState()");
    const [liquidity] = await read("liquidity()");
    return {
      ...{ sqrtPrice: sqrtPrice!, tick: Number(BigInt.asIntN(256, tick!)), liquidity: liquidity! },
      ...{ fee: Number(fee), pluginConfig: Number(config), communityFee: Number(communityFee) },
    };
  }
}

const wordOf = (value: bigint): Hex => `0x${value.toString(16).padStart(64, "0")}`;
