import { isZero } from "../../../chain/encoding/bytes.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import type { PageInfo, WalkInfo } from "../../../query/pages.ts";
import type { TokenItem } from "../../../query/tokens/items.ts";
import type { TransferPage, TransferView } from "../../../query/tokens/transfers.ts";
import { mapInTurns } from "../../../std/async.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import type { KnownToken } from "../../../store/stages/tokens/read/tokenReads.ts";
import type { MinedTransfer } from "../../../store/stages/tokens/read/transferReads.ts";
import { cacheable } from "../../http/responseCache.ts";
import type { Shape } from "../../openapi/values.ts";
import { presentAddress } from "../addresses/presentAddress.ts";
import { timestamp } from "../amounts.ts";
import type { Envelope } from "../envelope.ts";
import { presentPage } from "../envelope.ts";
import { presentMethod } from "../transactions/presentMethod.ts";
import { presentItem } from "./presentInstance.ts";
import { decimalsOf, presentToken } from "./presentToken.ts";
import type { TransferSchema } from "./transferSchema.ts";

type Presented = Shape<typeof TransferSchema>;

export async function presentTransferPage(page: TransferPage<PageInfo | WalkInfo>): Promise<Envelope<Presented>> {
  const { transfers, addresses, info, scope } = page;
  const items = await mapInTurns(transfers, (transfer) => presentTransfer(transfer, addresses));
  return cacheable(scope, presentPage(items, info));
}

export function presentTransfer({ transfer, token, method, item }: TransferView, addresses: AddressInfos): Presented {
  const { transaction, block } = transfer.mined;
  const hash = toHex(transaction.hash);
  return {
    transaction_hash: hash,
    tx_hash: hash,
    from: presentAddress(transfer.from, addresses),
    to: presentAddress(transfer.to, addresses),
    total: presentTotal(transfer, token, item, addresses),
    token: presentToken(token),
    type: typeOf(transfer),
    token_type: transfer.kind,
    timestamp: timestamp(block.header.timestamp),
    method: presentMethod(method),
    block_hash: toHex(block.header.hash),
    block_number: block.header.number,
    log_index: transfer.logIndex,
  };
}

/** ERC-721 transfers have no amount. */
export function presentTotal(
  { kind, tokenId, amount }: MinedTransfer,
  token: KnownToken,
  moved: TokenItem | undefined,
  addresses: AddressInfos,
) {
  const sum = { value: uintToBigInt(amount).toString(), decimals: decimalsOf(token, kind) };
  if (tokenId === undefined) return sum;
  const item = {
    token_id: uintToBigInt(tokenId).toString(),
    token_instance: moved === undefined ? null : presentItem(moved, addresses),
  };
  return kind === "ERC-721" ? item : { ...item, ...sum };
}

function typeOf({ from, to }: MinedTransfer): Presented["type"] {
  if (isZero(from)) return isZero(to) ? "token_spawning" : "token_minting";
  return isZero(to) ? "token_burning" : "token_transfer";
}
