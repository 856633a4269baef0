import { EMPTY } from "../../../chain/encoding/bytes.ts";
import { checksumAddress } from "../../../chain/encoding/checksum.ts";
import { quantity, toHex } from "../../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../../chain/encoding/uint.ts";
import type { Wire } from "../../../chain/encoding/wire.ts";
import { JsonText, MAX_RESULT } from "../../../jsonrpc/envelope.ts";
import { RPC, RpcError } from "../../../jsonrpc/rpcError.ts";
import type { SignedTransaction } from "../../block/toTransaction.ts";
import { addressParam, expectAtMost } from "../../params/params.ts";
import type { PoolContent } from "../../pool/pooledTransactions.ts";
import { presentPendingTransaction } from "../../present.ts";
import { Pace, READ_TIME } from "../../state/pace.ts";
import type { DevelopmentMethods } from "../methods.ts";

type Transactions = readonly SignedTransaction[];
type Lists = ReadonlyMap<string, Transactions>;
type Show = (tx: SignedTransaction) => unknown;

/** A full pool is large: its JSON is written in parts, yielding in between. */
export const poolMethods: DevelopmentMethods = {
  txpool_content: ({ pool }) => writeContent(pool.content(), writeSenders(showWhole)),
  txpool_contentFrom: ({ pool }, params) => {
    expectAtMost(params, 1);
    const sender = toHex(addressParam(params, 0));
    return writeContent(pool.content(), (lists, writer) => writeNonces(lists.get(sender) ?? [], showWhole, writer));
  },
  txpool_inspect: ({ pool }) => writeContent(pool.content(), writeSenders(showShort)),
  txpool_status: ({ pool }) => {
    const { pending, queued } = pool.content();
    return { pending: quantity(count(pending)), queued: quantity(count(queued)) };
  },
  /** Of the node's own accounts only. */
  eth_pendingTransactions: async ({ pool, keyring }) => {
    const own = new Set<string>(keyring.accounts.map(({ address }) => address));
    const pending = pool.all().filter(({ transaction }) => own.has(toHex(transaction.from)));
    return new JsonText(`[${await new Writer().join(pending, (tx) => JSON.stringify(showWhole(tx)))}]`);
  },
};

const TOO_LARGE = new RpcError(
  RPC.responseTooLarge,
  "response too large; txpool_inspect and txpool_contentFrom have shorter ones",
);

/** Writes one result in parts, up to the batch's size limit. */
class Writer {
  readonly #pace = new Pace(READ_TIME);
  #length = 0;

  async join(list: Transactions, write: (tx: SignedTransaction) => string): Promise<string> {
    const parts: string[] = [];
    for (const tx of list) {
      const part = write(tx);
      this.#length += part.length;
      if (this.#length > MAX_RESULT) throw TOO_LARGE;
      parts.push(part);
      await this.#pace.check();
    }
    return parts.join(",");
  }
}

type WriteLists = (lists: Lists, writer: Writer) => Promise<string>;

async function writeContent({ pending, queued }: PoolContent, write: WriteLists): Promise<JsonText> {
  const writer = new Writer();
  return new JsonText(`{"pending":${await write(pending, writer)},"queued":${await write(queued, writer)}}`);
}

function writeSenders(show: Show): WriteLists {
  return async (lists, writer) => {
    const fields: string[] = [];
    for (const [sender, list] of lists) {
      const name = checksumAddress(Buffer.from(sender.slice(2), "hex"));
      fields.push(`"${name}":${await writeNonces(list, show, writer)}`);
    }
    return `{${fields.join(",")}}`;
  };
}

async function writeNonces(list: Transactions, show: Show, writer: Writer): Promise<string> {
  const write = (tx: SignedTransaction) => `"${uintToBigInt(tx.transaction.nonce)}":${JSON.stringify(show(tx))}`;
  return `{${await writer.join(list, write)}}`;
}

function showWhole({ transaction }: SignedTransaction): Wire {
  return presentPendingTransaction(transaction);
}

/** geth's one-line form. */
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
