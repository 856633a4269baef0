import { encodeCall } from "../../chain/abi/encodeCall.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import { defined } from "../../std/values.ts";
import type { Actor, Actors } from "../actors.ts";
import type { Artifacts } from "../artifacts.ts";
import type { Addresses, DeployedPool, DeployedToken } from "./addresses.ts";
import { amountOf } from "./amounts.ts";
import type { Plan } from "./plan.ts";
import { saltedAddress } from "./plan.ts";
import type { SceneSpec } from "./spec.ts";
import type { Tokens } from "./tokens.ts";

/** Deadline of scene transactions. */
export const NEVER = 2n ** 48n;

export const MAX_AMOUNT = 2n ** 256n - 1n;

/** Hundredths of a basis point. */
const FEE = 3000;

/** Dollars in the copy's pair. */
const COPY_DEPTH = 400;

export function planV2(
  plan: Plan,
  spec: SceneSpec,
  { builder, copyist }: Actors,
  code: Artifacts,
  tokens: Tokens,
): Addresses["v2"] {
  const { wrapped, copy } = tokens;
  const factory = plan.deploy(builder, code.UniswapV2Factory, ["address"], builder.address);
  const router = plan.deploy(builder, code.UniswapV2Router02, ["address", "address"], factory, wrapped.address);
  const approve = (from: Actor, token: DeployedToken) =>
    plan.call(from, token.address, 60_000, "approve(address,uint256)", router, MAX_AMOUNT);
  for (const token of [...tokens.stables, ...tokens.tokens, tokens.deflating]) approve(builder, token);
  approve(copyist, copy);
  plan.endBlock();
  const codeHash = toHex(keccak256(fromHex(code.UniswapV2Pair)));
  const open = (from: Actor, a: DeployedToken, b: DeployedToken, depth: number): DeployedPool => {
    addLiquidity(plan, from, { router, wrapped }, [a, b], depth);
    plan.endBlock();
    const [token0, token1] = inOrder(a, b);
    const salt = toHex(keccak256(fromHex(`${token0.address}${token1.address.slice(2)}`)));
    return { address: saltedAddress(factory, salt, codeHash), token0, token1, fee: FEE, version: 2 };
  };
  const pairs = spec.pairs.map(({ tokens: [a, b], depth }) => open(builder, named(tokens, a), named(tokens, b), depth));
  return { factory, router, pairs: [...pairs, open(copyist, copy, wrapped, COPY_DEPTH)] };
}

interface Exchange {
  readonly router: Addresses["wrapped"]["address"];
  readonly wrapped: DeployedToken;
}

function addLiquidity(
  plan: Plan,
  from: Actor,
  { router, wrapped }: Exchange,
  pair: [DeployedToken, DeployedToken],
  depth: number,
) {
  const gas = 3_500_000;
  const [a, b] = pair;
  if (pair.includes(wrapped)) {
    const other = a === wrapped ? b : a;
    const signature = "addLiquidityETH(address,uint256,uint256,uint256,address,uint256)";
    const input = encodeCall(signature, other.address, amountOf(other, depth), 0n, 0n, from.address, NEVER);
    plan.pay(from, router, gas, amountOf(wrapped, depth), input);
    return;
  }
  const signature = "addLiquidity(address,address,uint256,uint256,uint256,uint256,address,uint256)";
  const amounts = [amountOf(a, depth), amountOf(b, depth), 0n, 0n];
  plan.call(from, router, gas, signature, a.address, b.address, ...amounts, from.address, NEVER);
}

export function named({ wrapped, stables, tokens, deflating }: Tokens, symbol: string): DeployedToken {
  return defined([wrapped, ...stables, ...tokens, deflating].find((token) => token.symbol === symbol));
}

/** Pools order tokens by address. */
export function inOrder(a: DeployedToken, b: DeployedToken): [DeployedToken, DeployedToken] {
  return a.address < b.address ? [a, b] : [b, a];
}
