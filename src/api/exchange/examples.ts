import { checksumAddress } from "../../chain/encoding/checksum.ts";
import { ChainError } from "../../chain/error.ts";
import { listPools } from "../../query/pools/poolPages.ts";
import type { Examples } from "../openapi/page.ts";
import type { ExchangeContext } from "./route.ts";

const NONE: Examples = {};

/** The pool with the highest value and its base token. Identity is stable while unchanged. */
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
    const { pools } = await listPools(network, {
      page: 1,
      pageSize: 1,
      filter: "all",
      exchanges: "all",
      user: undefined,
    });
    const [first] = pools;
    if (first === undefined) return NONE;
    const [base, quote] = [first.base, first.quote].map(({ listed }) => checksumAddress(listed.address));
    return {
      pools: checksumAddress(first.pool.address),
      "v1/users": checksumAddress(first.pool.address),
      "v1/tokens": base!,
      tokenIn: base!,
      tokenOut: quote!,
    };
  } catch (error) {
    if (error instanceof ChainError && error.code === "stage_behind") return NONE;
    throw error;
  }
}
