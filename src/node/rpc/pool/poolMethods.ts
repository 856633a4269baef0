import { EMPTY } from "../../../chain/encoding/bytes.ts";
import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import { quantity, toHex } from "../../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import type { Wire } from "../../../chain/encoding/wire.ts";
import type { SignedTransaction } from "../../block/toTransaction.ts";
import { addressParam, expectAtMost } from "../../params/params.ts";
import { presentPendingTransaction } from "../../present/presentTransaction.ts";
import type { Methods } from "../methods.ts";

type Lists = ReadonlyMap<string, readonly SignedTransaction[]>;
type Show = (tx: SignedTransaction) => unknown;

/** Methods about the transaction pool. */
export const poolMethods: Methods = {
  txpool_content: ({ pool }) => {
    const { pending, queued } = pool.content();
    return { pending: bySender(pending, showWhole), queued: bySender(queued, showWhole) };
  },
  txpool_contentFrom: ({ pool }, params) => {
    expectAtMost(params, 1);
    const sender = toHex(addressParam(params, 0));
    const { pending, queued } = pool.content();
    return { pending: byNonce(pending.get(sender), showWhole), queued: byNonce(queued.get(sender), showWhole) };
  },
  txpool_inspect: ({ pool }) => {
    const { pending, queued } = pool.content();
    return { pending: bySender(pending, showShort), queued: bySender(queued, showShort) };
  },
  txpool_status: ({ pool }) => {
    const { pending, queued } = pool.content();
    return { pending: quantity(count(pending)), queued: quantity(count(queued)) };
  },
};

function bySender(lists: Lists, show: Show): Wire {
  const record: Record<string, unknown> = {};
  for (const [sender, list] of lists) {
    record[checksumAddress(Buffer.from(sender.slice(2), "hex"))] = byNonce(list, show);
  }
  return record;
}

function byNonce(list: readonly SignedTransaction[] | undefined, show: Show): Wire {
  const record: Record<string, unknown> = {};
  for (const tx of list ?? []) record[String(uintToBigInt(tx.transaction.nonce))] = show(tx);
  return record;
}

function showWhole({ transaction }: SignedTransaction): Wire {
  return presentPendingTransaction(transaction);
}

/** One line of text, as geth writes it. */
function showShort({ transaction }: SignedTransaction): string {
  const { to, value, gas, gasPrice, maxFeePerGas } = transaction;
  const target = to === null ? "contract creation" : checksumAddress(to);
  const price = uintToBigInt(maxFeePerGas ?? gasPrice ?? EMPTY);
  return `${target}: ${uintToBigInt(value)} wei + ${uintToBigInt(gas)} gas × ${price} wei`;
}

function count(lists: Lists): number {
  let sum = 0;
  for (const list of lists.values()) sum += list.length;
  return sum;
}
