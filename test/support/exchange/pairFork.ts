import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { encodeCall } from "../../../src/chain/abi/encodeCall.ts";
import type { Hex } from "../../../src/chain/encoding/hex.ts";
import { quantity } from "../../../src/chain/encoding/hex.ts";
import type { Actor } from "../../../src/demo/actors.ts";
import type { Intent } from "../../../src/demo/intent.ts";
import type { ExchangeChain } from "./chain.ts";
import { exchangeCode } from "./contracts.ts";
import { createdIn, deployToken, expectDone, PAIR_CREATED } from "./scene.ts";

const require = createRequire(import.meta.url);

/** The published contracts with the check of a fork: a fee in basis points, which anybody changes. */
const CHANGES = [
  ["pragma solidity =0.5.16;", "pragma solidity 0.5.17;"],
  [
    "contract UniswapV2Pair is IUniswapV2Pair, UniswapV2ERC20 {",
    "$& uint public fee = 25; function setFee(uint to) external { fee = to; }",
  ],
  ["balance0.mul(1000).sub(amount0In.mul(3))", "balance0.mul(10000).sub(amount0In.mul(fee))"],
  ["balance1.mul(1000).sub(amount1In.mul(3))", "balance1.mul(10000).sub(amount1In.mul(fee))"],
  ["mul(1000**2)", "mul(10000**2)"],
] as const;

let factoryCode: Hex | undefined;

function compileFork(): Hex {
  const solc = require("solc-0.5.17") as { compile(input: string, callbacks: object): string };
  const sourceOf = (path: string) =>
    CHANGES.reduce(
      (text, [from, to]) => text.replace(from, to),
      readFileSync(require.resolve(`@uniswap/v2-core/contracts/${path}`), "utf8"),
    );
  const main = "UniswapV2Factory.sol";
  const settings = {
    optimizer: { enabled: true, runs: 200 },
    outputSelection: { [main]: { "*": ["evm.bytecode.object"] } },
  };
  const input = { language: "Solidity", sources: { [main]: { content: sourceOf(main) } }, settings };
  const read = (path: string) => ({ contents: sourceOf(path) });
  const { contracts } = JSON.parse(solc.compile(JSON.stringify(input), { import: read }));
  return `0x${contracts[main].UniswapV2Factory.evm.bytecode.object}`;
}

export interface ForkedPair {
  readonly address: Hex;
  readonly tokens: readonly [Hex, Hex];
}

/** A fork of Uniswap V2, unless other code is given, and a contract that pays and swaps in one transaction. */
export class PairFork {
  readonly chain: ExchangeChain;
  readonly factory: Hex;
  readonly trader: Hex;

  private constructor(chain: ExchangeChain, factory: Hex, trader: Hex) {
    this.chain = chain;
    this.factory = factory;
    this.trader = trader;
  }

  static async deploy(chain: ExchangeChain, code?: Hex): Promise<PairFork> {
    factoryCode ??= code === undefined ? compileFork() : undefined;
    const factory = await chain.deploy(code ?? factoryCode!, ["address"], chain.builder.address);
    return new PairFork(chain, factory, await chain.deploy(exchangeCode().Trader));
  }

  async deployToken(symbol: string, decimals: number): Promise<Hex> {
    const token = await deployToken(this.chain, symbol, decimals);
    await this.chain.send(this.chain.builder, token, "mint(address,uint256)", this.trader, 10n ** 40n);
    return token;
  }

  async open(a: Hex, b: Hex, amounts: readonly [bigint, bigint]): Promise<ForkedPair> {
    const { chain } = this;
    const block = await chain.send(chain.builder, this.factory, "createPair(address,address)", a, b);
    const pair: ForkedPair = { address: createdIn(block, PAIR_CREATED), tokens: a < b ? [a, b] : [b, a] };
    const given = pair.tokens.map(
      (token, at) => [token, encodeCall("transfer(address,uint256)", pair.address, amounts[at]!)] as const,
    );
    expectDone(await chain.mine([this.#many([...given, [pair.address, encodeCall("mint(address)", this.trader)]])]));
    return pair;
  }

  /** Pays and takes these amounts; reverts where the pair does. */
  swap(pair: ForkedPair, token: Hex, paid: bigint, taken: bigint, from = this.chain.builder): Intent {
    return this.#many(this.#calls(pair, token, paid, taken), from);
  }

  /** Whether the pair would let these amounts pass now. */
  async lets(pair: ForkedPair, token: Hex, paid: bigint, taken: bigint): Promise<boolean> {
    const { to, data } = this.swap(pair, token, paid, taken);
    const asked = this.chain.development.ask<Hex>("eth_call", { to, data }, quantity(this.chain.height));
    return asked.then(
      () => true,
      () => false,
    );
  }

  async reserves({ address }: ForkedPair): Promise<readonly [bigint, bigint]> {
    const [reserve0, reserve1] = await this.chain.call(address, this.chain.height, "getReserves()");
    return [reserve0!, reserve1!];
  }

  setFee({ address }: ForkedPair, basisPoints: bigint): Intent {
    return this.chain.intent(this.chain.builder, address, "setFee(uint256)", basisPoints);
  }

  #calls({ address, tokens }: ForkedPair, token: Hex, paid: bigint, taken: bigint) {
    const outputs = token === tokens[0] ? [0n, taken] : [taken, 0n];
    return [
      [token, encodeCall("transfer(address,uint256)", address, paid)],
      [address, encodeCall("swap(uint256,uint256,address,bytes)", ...outputs, this.trader, "0x")],
    ] as const;
  }

  #many(calls: readonly (readonly [to: Hex, data: Hex])[], from: Actor = this.chain.builder): Intent {
    const [targets, data] = [calls.map(([to]) => to), calls.map(([, one]) => one)];
    return this.chain.intent(from, this.trader, "many(address[],bytes[])", targets, data);
  }
}

/** As a router counts with a fee in basis points. */
export function routed([reserveIn, reserveOut]: readonly [bigint, bigint], paid: bigint, basisPoints: bigint): bigint {
  const left = paid * (10_000n - basisPoints);
  return (left * reserveOut) / (reserveIn * 10_000n + left);
}
