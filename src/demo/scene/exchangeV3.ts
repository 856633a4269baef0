import { encodeCall, encodeValues } from "../../chain/abi/encodeCall.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import { defined } from "../../std/values.ts";
import type { Actors } from "../actors.ts";
import type { Artifacts } from "../artifacts.ts";
import type { Addresses, DeployedPool, DeployedToken } from "./addresses.ts";
import { amountOf } from "./amounts.ts";
import { inOrder, MAX_AMOUNT, NEVER, named } from "./exchangeV2.ts";
import type { Plan } from "./plan.ts";
import { saltedAddress } from "./plan.ts";
import type { PoolSpec, SceneSpec, TokenSpec } from "./spec.ts";
import { rangeAround, sqrtPrice } from "./ticks.ts";
import type { Tokens } from "./tokens.ts";

const ZERO_ADDRESS: Hex = `0x${"0".repeat(40)}`;

export const MINT =
  "mint((address,address,uint24,int24,int24,uint256,uint256,uint256,uint256,address,uint256))" as const;

/** Ticks of a narrow position: about +25 % and -20 %. */
const NARROW = 2300;

/** Deploys Uniswap V3 and opens pools, each with a full-range and a narrow position. */
export function planV3(
  plan: Plan,
  spec: SceneSpec,
  { builder }: Actors,
  code: Artifacts,
  tokens: Tokens,
): Addresses["v3"] {
  const wrapped = tokens.wrapped.address;
  const factory = plan.deploy(builder, code.UniswapV3Factory, []);
  const positions = plan.deploy(
    builder,
    code.NonfungiblePositionManager,
    ["address", "address", "address"],
    factory,
    wrapped,
    ZERO_ADDRESS,
  );
  const router = plan.deploy(builder, code.SwapRouter, ["address", "address"], factory, wrapped);
  const quoter = plan.deploy(builder, code.QuoterV2, ["address", "address"], factory, wrapped);
  for (const { address } of [...tokens.stables, ...tokens.tokens]) {
    plan.call(builder, address, 60_000, "approve(address,uint256)", positions, MAX_AMOUNT);
  }
  plan.endBlock();
  const codeHash = toHex(keccak256(fromHex(code.UniswapV3Pool)));
  const pools = spec.pools.map((pool): DeployedPool => {
    const [token0, token1] = inOrder(named(tokens, pool.tokens[0]), named(tokens, pool.tokens[1]));
    const fee = defined(pool.fee);
    openPool(plan, { positions, builder: builder.address }, [token0, token1], { ...pool, fee });
    const key = encodeValues(["address", "address", "uint24"], token0.address, token1.address, fee);
    const address = saltedAddress(factory, toHex(keccak256(fromHex(key))), codeHash);
    return { address, token0, token1, fee, version: 3 };
  });
  return { factory, positions, router, quoter, pools };

  function openPool(
    plan: Plan,
    place: { positions: Hex; builder: Hex },
    [token0, token1]: [DeployedToken, DeployedToken],
    { fee, depth }: Required<Pick<PoolSpec, "fee" | "depth">>,
  ): void {
    const sqrt = sqrtPrice(unitValue(token0, token1), unitValue(token1, token0));
    const create = "createAndInitializePoolIfNecessary(address,address,uint24,uint160)";
    plan.call(builder, place.positions, 6_500_000, create, token0.address, token1.address, fee, sqrt);
    const amounts = [amountOf(token0, depth), amountOf(token1, depth)] as const;
    const coins = token0.kind === "wrapped" ? amounts[0] : token1.kind === "wrapped" ? amounts[1] : 0n;
    for (const ticks of [undefined, NARROW]) {
      const { lower, upper } = rangeAround(sqrt, fee, ticks);
      const position = [token0.address, token1.address, fee, lower, upper, ...amounts, 0n, 0n, place.builder, NEVER];
      const calls = [encodeCall(MINT, position), encodeCall("refundETH()")];
      plan.pay(builder, place.positions, 900_000, coins, encodeCall("multicall(bytes[])", calls));
    }
    plan.endBlock();
  }
}

/** Relative value of a smallest unit, on a scale common to both tokens. */
function unitValue(token: TokenSpec, other: TokenSpec): bigint {
  return token.price * 10n ** BigInt(other.decimals);
}
