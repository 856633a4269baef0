import { toHex } from "../../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import { hasHappened, isCreation } from "../../../chain/trace/internalCall.ts";
import type { PageInfo, WalkInfo } from "../../../query/pages.ts";
import type { InternalPage, ListedCall } from "../../../query/traces/internalTransactions.ts";
import { mapInTurns } from "../../../std/async.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import { cacheable } from "../../http/responseCache.ts";
import type { Shape } from "../../openapi/values.ts";
import { presentAddress } from "../addresses/presentAddress.ts";
import { timestamp } from "../amounts.ts";
import type { Envelope } from "../envelope.ts";
import { presentPage } from "../envelope.ts";
import type { InternalTransactionSchema } from "./internalSchema.ts";

type Presented = Shape<typeof InternalTransactionSchema>;

export async function presentInternalPage({
  calls,
  addresses,
  info,
  scope,
}: InternalPage<PageInfo | WalkInfo, ListedCall>): Promise<Envelope<Presented>> {
  const items = await mapInTurns(calls, (call) => presentCall(call, addresses));
  return cacheable(scope, presentPage(items, info));
}

function presentCall(call: ListedCall, addresses: AddressInfos): Presented {
  const { header } = call.mined.block;
  const target = call.to && presentAddress(call.to, addresses);
  const creates = isCreation(call);
  return {
    block_number: header.number,
    timestamp: timestamp(header.timestamp),
    transaction_hash: toHex(call.mined.transaction.hash),
    transaction_index: call.mined.index,
    index: call.index,
    depth: call.depth,
    type: call.type,
    from: presentAddress(call.from, addresses),
    to: creates ? null : target,
    created_contract: creates ? target : null,
    value: uintToBigInt(call.value).toString(),
    gas_limit: String(call.gas),
    gas_used: String(call.gasUsed),
    success: hasHappened(call),
    error: call.error ?? (call.isUndone ? "parent call failed" : null),
  };
}
