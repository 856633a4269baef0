import { toHex } from "../../../chain/encoding/hex.ts";
import type { Wire } from "../../../chain/encoding/wire.ts";
import type { CoinChangePage, RawTracePage } from "../../../query/traces/transactionTrace.ts";
import { mapInTurns } from "../../../std/turn.ts";
import type { Shape } from "../../openapi/values.ts";
import { presentAddress } from "../addresses/presentAddress.ts";
import type { Envelope } from "../envelope.ts";
import { presentPage } from "../envelope.ts";
import type { RawTraceSchema, StateChangeSchema } from "./traceSchema.ts";

type RawTrace = Shape<typeof RawTraceSchema>;

/** In the names of the node, which are those that clients of traces know. */
export async function presentRawTrace(
  { traces, info, header }: RawTracePage,
  hash: Uint8Array,
): Promise<Envelope<RawTrace>> {
  const place = { transactionHash: toHex(hash), blockNumber: header?.number ?? 0 };
  return presentPage(await mapInTurns(traces, (trace) => ({ ...presentTrace(trace), ...place })), info);
}

function presentTrace({ type, action, result, error, subtraces, traceAddress }: Wire) {
  return {
    type: String(type),
    action: asObject(action) ?? {},
    result: asObject(result),
    error: typeof error === "string" ? error : null,
    subtraces: asCount(subtraces),
    traceAddress: Array.isArray(traceAddress) ? traceAddress.map(asCount) : [],
  };
}

const asObject = (value: unknown): object | null => (typeof value === "object" ? value : null);

const asCount = (value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0;

export async function presentStateChanges({
  changes,
  addresses,
  info,
}: CoinChangePage): Promise<Envelope<Shape<typeof StateChangeSchema>>> {
  const items = await mapInTurns(changes, ({ address, before, after, isMiner }) => ({
    address: presentAddress(address, addresses),
    is_miner: isMiner,
    type: "coin" as const,
    token: null,
    token_id: null,
    balance_before: before.toString(),
    balance_after: after.toString(),
    change: (after - before).toString(),
  }));
  return presentPage(items, info);
}
