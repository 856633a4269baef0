import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { isSolidly } from "../../chain/exchange/exchangeFields.ts";
import type { ContractCall, Head } from "../../chain/source.ts";
import type { QueryContext } from "../context.ts";
import type { ListedPool } from "../exchange/listedPools.ts";
import { callContracts, contractCall } from "../node/callContracts.ts";

/** Factories count in basis points. */
const UNIT = 10_000n;

/** Fees in hundredths of a basis point that factories ask for after a block, which no log tells; of those that answer. */
export async function readSolidlyFees(
  context: Pick<QueryContext, "node">,
  pools: Iterable<ListedPool>,
  at: Pick<Head, "number" | "hash">,
): Promise<Map<number, number>> {
  const asked = [...pools].filter(({ type }) => isSolidly(type));
  const fees = new Map<number, number>();
  if (asked.length === 0) return fees;
  const wordsOf = await callContracts(context, asked.flatMap(feeCalls), at);
  for (const pool of asked) {
    const found = feeCalls(pool)
      .map(wordsOf)
      .find((words) => words.length === 1 && words[0]! < UNIT);
    if (found !== undefined) fees.set(pool.id, 100 * Number(found[0]!));
  }
  return fees;
}

/** The first generation has one fee for all pools of a kind, in some forks one for each pool. */
function feeCalls({ factory, address, type, generation }: ListedPool): ContractCall[] {
  const [to, isStable] = [fromHex(factory), type === "stable"];
  const ofPool = contractCall(to, "getFee(address,bool)", toHex(address), isStable);
  return generation === 2 ? [ofPool] : [contractCall(to, "getFee(bool)", isStable), ofPool];
}
