import { feeOf } from "../../../chain/block/fees.ts";
import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import type { AdvancedItem, AdvancedPage } from "../../../query/advanced/advancedList.ts";
import type { KnownMethod } from "../../../query/advanced/knownMethods.ts";
import { mapInTurns } from "../../../std/async.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import { cacheable } from "../../http/responseCache.ts";
import type { Shape } from "../../openapi/values.ts";
import { presentAddress } from "../addresses/presentAddress.ts";
import { timestamp } from "../amounts.ts";
import { presentPage } from "../envelope.ts";
import { presentToken } from "../tokens/presentToken.ts";
import { presentTotal } from "../tokens/presentTransfer.ts";
import { presentMethod } from "../transactions/presentMethod.ts";
import type { AdvancedItemSchema, MethodSchema } from "./advancedSchema.ts";

type Presented = Shape<typeof AdvancedItemSchema>;

export async function presentAdvancedPage({ items, addresses, methods, tokens, traced, info }: AdvancedPage) {
  const presented = await mapInTurns(items, (item) => presentItem(item, addresses));
  return cacheable("index", {
    ...presentPage(presented, info),
    search_params: {
      methods: Object.fromEntries([...methods].map(([selector, name]) => [selector, name ?? null])),
      tokens: Object.fromEntries(tokens.map((token) => [checksumAddress(token.address), presentToken(token)])),
    },
    traced_block_number: traced,
  });
}

function presentItem(item: AdvancedItem, addresses: AddressInfos): Presented {
  const { mined, transfer, call, token, to, created } = item;
  const { transaction, receipt, block } = mined;
  return {
    hash: toHex(transaction.hash),
    type: item.types[0] ?? "coin_transfer",
    status: receipt.status === undefined ? null : receipt.status === 1 ? "ok" : "error",
    method: presentMethod(item.method),
    from: presentAddress(item.from, addresses),
    to: to && presentAddress(to, addresses),
    created_contract: created && presentAddress(created, addresses),
    value: transfer === undefined ? item.amount.toString() : null,
    total: transfer === undefined || token === undefined ? null : presentTotal(transfer, token, item.item, addresses),
    token: token === undefined ? null : presentToken(token),
    timestamp: timestamp(block.header.timestamp),
    block_number: block.header.number,
    transaction_index: mined.index,
    token_transfer_index: transfer?.logIndex ?? null,
    internal_transaction_index: call?.index ?? null,
    fee: costOf(item).toString(),
  };
}

function costOf({ mined: { transaction, receipt }, call }: AdvancedItem): bigint {
  if (call === undefined) return feeOf(transaction, receipt);
  const price = receipt.effectiveGasPrice ?? transaction.gasPrice;
  return price === undefined ? 0n : uintToBigInt(price) * BigInt(call.gasUsed);
}

export const presentKnownMethod = ({ selector, name }: KnownMethod): Shape<typeof MethodSchema> => ({
  method_id: selector,
  name,
});
