import { toHex } from "../../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import type { Wire } from "../../../chain/encoding/wire.ts";
import type { StateChangePage } from "../../../query/traces/stateChanges.ts";
import type { CoinChange, RawTracePage } from "../../../query/traces/transactionTrace.ts";
import { mapInTurns } from "../../../std/async.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { Shape } from "../../openapi/values.ts";
import { presentAddress } from "../addresses/presentAddress.ts";
import type { Envelope } from "../envelope.ts";
import { presentPage } from "../envelope.ts";
import { presentToken } from "../tokens/presentToken.ts";
import type { RawTraceSchema, StateChangeSchema } from "./traceSchema.ts";

type RawTrace = Shape<typeof RawTraceSchema>;

/** The node's own field names, which trace clients know. */
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

type StateChange = Shape<typeof StateChangeSchema>;

export async function presentStateChanges({ coins, tokens, hasTokens, addresses, info }: StateChangePage) {
  const items = [
    ...(await mapInTurns(coins, (change) => presentCoinChange(change, addresses))),
    ...(await mapInTurns(tokens, (change) => presentTokenChange(change, addresses))),
  ];
  return { ...presentPage(items, info), has_token_changes: hasTokens };
}

function presentCoinChange({ address, before, after, isMiner }: CoinChange, addresses: AddressInfos): StateChange {
  return {
    address: presentAddress(address, addresses),
    is_miner: isMiner,
    type: "coin",
    token: null,
    token_id: null,
    balance_before: before.toString(),
    balance_after: after.toString(),
    change: (after - before).toString(),
  };
}

function presentTokenChange(move: StateChangePage["tokens"][number], addresses: AddressInfos): StateChange {
  const { holder, isMiner, token, tokenId, before, change, moved } = move;
  return {
    address: presentAddress(holder, addresses),
    is_miner: isMiner,
    type: "token",
    token: presentToken(token),
    token_id: tokenId === undefined ? null : idOf(tokenId),
    balance_before: before === null ? null : before.toString(),
    balance_after: before === null ? null : (before + change).toString(),
    change:
      moved?.map(({ direction, tokenId: id }) => ({ direction, total: { token_id: idOf(id) } })) ?? change.toString(),
  };
}

const idOf = (tokenId: Uint8Array): string => uintToBigInt(tokenId).toString();
