import { isZero } from "../../../chain/encoding/bytes.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import type { AccountKinds } from "../../../store/accountKinds.ts";
import type { KnownToken } from "../../../store/tokens/tokenReads.ts";
import type { MinedTransfer } from "../../../store/tokens/transferReads.ts";
import type { Shape } from "../../openapi/values.ts";
import { presentAddress } from "../addresses/presentAddress.ts";
import { timestamp } from "../amounts.ts";
import { methodOf } from "../transactions/presentTransaction.ts";
import { decimalsOf, presentToken } from "./presentToken.ts";
import type { TransferSchema } from "./transferSchema.ts";

export function presentTransfer(
  transfer: MinedTransfer,
  token: KnownToken,
  kinds: AccountKinds,
  name: string | undefined,
): Shape<typeof TransferSchema> {
  const { transaction, block } = transfer.mined;
  const hash = toHex(transaction.hash);
  return {
    transaction_hash: hash,
    tx_hash: hash,
    from: presentAddress(transfer.from, kinds),
    to: presentAddress(transfer.to, kinds),
    total: presentTotal(transfer, token),
    token: presentToken(token),
    type: typeOf(transfer),
    token_type: transfer.kind,
    timestamp: timestamp(block.header.timestamp),
    method: methodOf(transaction, { kinds }, name),
    block_hash: toHex(block.header.hash),
    block_number: block.header.number,
    log_index: transfer.logIndex,
  };
}

/** An ERC-721 is one thing and has no amount. */
function presentTotal({ kind, tokenId, amount }: MinedTransfer, token: KnownToken) {
  const sum = { value: uintToBigInt(amount).toString(), decimals: decimalsOf(token) };
  if (tokenId === undefined) return sum;
  const item = { token_id: uintToBigInt(tokenId).toString(), token_instance: null };
  return kind === "ERC-721" ? item : { ...item, ...sum };
}

function typeOf({ from, to }: MinedTransfer): Shape<typeof TransferSchema>["type"] {
  if (isZero(from)) return isZero(to) ? "token_spawning" : "token_minting";
  return isZero(to) ? "token_burning" : "token_transfer";
}
