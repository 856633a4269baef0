import { checksumAddress } from "../../chain/encoding/checksum.ts";
import { ChainError } from "../../chain/error.ts";
import { listPools } from "../../query/pools/poolPages.ts";
import type { Examples } from "../openapi/page.ts";
import type { ExchangeContext } from "./route.ts";

const NONE: Examples = {};

/** The pool and the pair with the highest value, and the pool's base token. Identity is stable while unchanged. */
export function readExamples({ network }: ExchangeContext): () => Promise<Examples> {
  let known = NONE;
  return async () => {
    const found = await readFirst(network);
    if (found.pools !== known.pools) known = found;
    return known;
  };
}

async function readFirst(network: ExchangeContext["network"]): Promise<Examples> {
  try {
    const page = { page: 1, pageSize: 1, exchanges: "all", user: undefined } as const;
    const [first] = (await listPools(network, { ...page, filter: "all" })).pools;
    if (first === undefined) return NONE;
    const [pair] = (await listPools(network, { ...page, filter: "v2" })).pools;
    const [base, quote] = [first.base, first.quote].map(({ listed }) => checksumAddress(listed.address));
    return {
      pools: checksumAddress(first.pool.address),
      "v1/users": checksumAddress(first.pool.address),
      "v1/tokens": base!,
      tokenIn: base!,
      tokenOut: quote!,
      ...(pair && { position: checksumAddress(pair.pool.address) }),
    };
  } catch (error) {
    if (error instanceof ChainError && error.code === "stage_behind") return NONE;
    throw error;
  }
}
