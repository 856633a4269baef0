import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import { equalBytes, isZero } from "../../../../chain/encoding/bytes.ts";
import { toHex } from "../../../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../../../chain/encoding/uint.ts";
import type { TokenKind, TokenTransfer } from "../../../../chain/token/tokenTransfer.ts";
import type { AuditReport } from "../../../audit/auditReport.ts";
import type { Reader } from "../../../engine/database.ts";
import { keysetPages } from "../../../engine/keysetPages.ts";
import type { LoggedBlock } from "../../../read/blockLogs.ts";
import type { CoreReads } from "../../../read/coreReads.ts";
import type { MinedTransaction } from "../../../read/transactions.ts";
import { mustHave } from "../../../rows/encoding.ts";
import type { AddressId } from "../../../rows/ids.ts";
import { blockOf, MAX_SLOTS, transactionKey } from "../../../rows/position.ts";
import type { DepositLedger } from "../tables/depositLedger.ts";
import { Deposits, depositCodec, MAX_CARRIED } from "../tables/depositLedger.ts";
import { tokenTransfers } from "../tables/tokenTables.ts";
import { readTransactionIndex } from "../tables/transferBody.ts";
import type { TransactionFacts } from "../tables/wraps.ts";
import { areTransfers, withTransfer } from "../tables/wraps.ts";

type State = { readonly kinds: Iterable<TokenKind>; readonly mints: boolean };
type Read = (block: LoggedBlock) => readonly TokenTransfer[];

const WRAPPER_BATCH_SIZE = 100;
const LOG_BATCH_SIZE = 1000;

/** Recomputes which wraps are transfers. */
export class WrapAudit {
  readonly #session: CoreReads;
  readonly #report: AuditReport;
  /** Contracts whose first transfer carries deposits over. */
  readonly #carrying = new Set<number>();

  constructor(session: CoreReads, report: AuditReport) {
    this.#session = session;
    this.#report = report;
  }

  /** `ids` has known tokens; `stateOf` returns a token before the block. */
  async settle(
    number: number,
    decoded: readonly TokenTransfer[],
    ids: Map<string, number>,
    stateOf: (id: number) => State | undefined,
  ): Promise<TokenTransfer[]> {
    for (const { token } of decoded) {
      if (!ids.has(toHex(token))) ids.set(toHex(token), (await this.#session.addresses.id(token)) ?? -1);
    }
    const idOf = ({ token }: TokenTransfer) => ids.get(toHex(token)) ?? -1;
    const wrappers = await this.#known([...new Set(ids.values())].filter((id) => stateOf(id) === undefined));
    const states = new Map<number, State | undefined>([...ids.values()].map((id) => [id, stateOf(id)]));
    const settled: TokenTransfer[] = [];
    let carried = 0;
    for (const transfers of Map.groupBy(decoded, ({ transactionIndex }) => transactionIndex).values()) {
      const facts = new Map<number, TransactionFacts>();
      for (const one of transfers) {
        const id = idOf(one);
        if (!one.isWrap) facts.set(id, withTransfer(facts.get(id), one, isZero(one.from)));
      }
      for (const [id, { moves, mints }] of facts) {
        if (states.get(id) !== undefined || !wrappers.has(id) || !moves || mints) continue;
        if (++carried <= MAX_CARRIED) this.#carrying.add(id);
      }
      for (const transfer of transfers) {
        const [id, state] = [idOf(transfer), states.get(idOf(transfer))];
        if (!transfer.isWrap || areTransfers(state, facts.get(id))) settled.push(transfer);
        else if (state === undefined && !facts.has(id))
          this.#report.expect(wrappers.has(id), `block ${number} has a deposit that no contract ${id} counts`);
      }
      for (const [id, { moves, mints }] of facts) {
        const before = states.get(id);
        const kinds = [...(before?.kinds ?? []), ...(moves ? (["ERC-20"] as const) : [])];
        states.set(id, { kinds, mints: mints || before?.mints === true });
      }
    }
    return settled;
  }

  async #known(ids: readonly number[]): Promise<Set<number>> {
    const rows = await this.#session.db.load<[number]>("SELECT id FROM wrapper WHERE id IN ($keys)", ids);
    return new Set(rows.map(([id]) => id));
  }

  /** Sums deposits per contract from its logs. */
  async finish(read: Read, upTo: number): Promise<void> {
    const { db, addresses } = this.#session;
    const idOf = async (address: Bytes) => mustHave(await addresses.id(address), `address ${toHex(address)}`);
    // Unlisted logs cannot be found by contract.
    if ((await this.#session.logs.unlisted()).blocks > 0) return;
    for await (const [id, wrapper] of storedDepositLedgers(db)) {
      const [row] = await db.all<[Bytes]>("SELECT value FROM address WHERE id = ?", id);
      const [address] = mustHave(row, `address ${id}`);
      const first = await firstTransfer(db, id);
      const deposits = new Deposits();
      const wraps = wrapsOf(this.#session, { id, address }, read, Math.min(first, transactionKey(upTo + 1, 0)));
      for await (const { from, to, amount } of wraps) {
        if (!isZero(from)) deposits.add(await idOf(from), -uintToBigInt(amount));
        if (!isZero(to)) deposits.add(await idOf(to), uintToBigInt(amount));
        if (deposits.result.phase === "closed") break;
      }
      if (first !== Number.POSITIVE_INFINITY) deposits.end(this.#carrying.has(id) ? "carried" : "closed");
      const isSame = equalBytes(depositCodec.write(deposits.result), depositCodec.write(wrapper));
      this.#report.expect(isSame, `the deposits of contract ${id} add up to something else`);
    }
  }
}

/** Contracts with deposits before their first transfer. */
export async function* storedDepositLedgers(db: Reader): AsyncGenerator<[id: number, wrapper: DepositLedger]> {
  const sql = "SELECT id, value FROM wrapper WHERE id > ? ORDER BY id LIMIT ?";
  const pages = keysetPages<[number, Bytes]>(WRAPPER_BATCH_SIZE, (last, count) => db.all(sql, last?.[0] ?? -1, count));
  for await (const rows of pages) for (const [id, value] of rows) yield [id, depositCodec.read(value)];
}

/** Position of the transaction with a token's first transfer. */
async function firstTransfer(db: Reader, token: AddressId): Promise<number> {
  const [position] = await tokenTransfers(db).of(token).slice(0, 1);
  if (position === undefined) return Number.POSITIVE_INFINITY;
  const [row] = await db.all<[Bytes]>("SELECT body FROM transfer WHERE position = ?", position);
  return row === undefined ? Number.POSITIVE_INFINITY : transactionKey(blockOf(position), readTransactionIndex(row[0]));
}

/** Before a position, oldest first. */
async function* wrapsOf(
  session: CoreReads,
  contract: { readonly id: number; readonly address: Bytes },
  read: Read,
  before: number,
): AsyncGenerator<TokenTransfer> {
  const { addresses, transactions } = session;
  let last: MinedTransaction | undefined;
  for (let from = 0; ; from += LOG_BATCH_SIZE) {
    const logs = await addresses.logs(contract.id, from, from + LOG_BATCH_SIZE);
    const emitters = await transactions.nearest(logs.map(({ position }) => position));
    for (const { position } of logs) {
      const mined = mustHave(emitters.get(position), `the transaction of the log at ${position}`);
      if (mined.position === last?.position) continue;
      last = mined;
      const { number } = mined.block.header;
      if (transactionKey(number, mined.index) >= before) return;
      const decoded = await readTransaction(session, read, number, mined.index);
      yield* decoded.filter(({ token, isWrap }) => isWrap && equalBytes(token, contract.address));
    }
    if (logs.length < LOG_BATCH_SIZE) return;
  }
}

/** Reads the whole block, since omissions depend on all its logs. */
async function readTransaction({ db, transactions }: CoreReads, read: Read, number: number, index: number) {
  const [isCut] = await db.all("SELECT 1 FROM omitted_transfer WHERE block = ?", number);
  const [from, to] = isCut === undefined ? [index, index + 1] : [0, MAX_SLOTS];
  const receipts = (await transactions.inBlock(number, from, to)).map(({ receipt }) => receipt);
  return read({ receipts }).filter(({ transactionIndex }) => transactionIndex === index - from);
}
