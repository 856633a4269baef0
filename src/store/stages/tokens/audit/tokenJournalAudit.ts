import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import { uintToBigInt } from "../../../../chain/encoding/uint.ts";
import type { TokenKind } from "../../../../chain/token/tokenTransfer.ts";
import type { AuditReport } from "../../../audit/auditReport.ts";
import { expectNoExtraRows, JournalWalk, journaledBlocks } from "../../../audit/journalAudit.ts";
import type { Reader } from "../../../engine/database.ts";
import type { CoreReads } from "../../../read/coreReads.ts";
import type { AddressId } from "../../../rows/ids.ts";
import { firstPosition } from "../../../rows/position.ts";
import type { DepositLedger } from "../tables/depositLedger.ts";
import { depositCodec } from "../tables/depositLedger.ts";
import { readHolding } from "../tables/holdings.ts";
import { isErc20Mint } from "../tables/minting.ts";
import type { TokenState } from "../tables/tokenState.ts";
import { NO_TOKEN, tokenState } from "../tables/tokenState.ts";
import type { StoredTransfer } from "../tables/transferBody.ts";
import { KINDS, readTransfer } from "../tables/transferBody.ts";
import { NO_ITEM, ZERO_ADDRESS_ID } from "../tables/transferIds.ts";

/** Changes of a token in a block. */
interface TokenChange {
  kinds: readonly TokenKind[];
  holders: number;
  debtors: number;
  supply: bigint;
  mints: boolean;
  /** Whether its first transfer is of an item. */
  readonly beginsWithItem: boolean;
}

/** Changes of a holding in a block. */
interface HoldingChange {
  readonly address: AddressId;
  readonly asset: number;
  amount: bigint;
  transfers: number;
}

/** By address and asset. */
type HoldingChanges = Map<string, HoldingChange>;

/** Like the core's: the value before a block plus its transfers must equal the value after it. */
export async function auditTokenJournals(
  session: CoreReads,
  report: AuditReport,
  tip: number | undefined,
): Promise<void> {
  const { db } = session;
  const blocks = await journaledBlocks(session, tip);
  const tokens = new JournalWalk(db, report, {
    source: "token",
    rows: "SELECT id, value FROM token WHERE id IN ($keys)",
    kind: "token",
    codec: tokenState,
  });
  const holdings = new HoldingWalk(db, report, "holding");
  const items = new HoldingWalk(db, report, "item_holding");
  const wrappers = new DepositWalk(db, report);
  for (const table of ["holding_journal", "item_holding_journal"]) await expectNoExtraRows(db, report, table, blocks);
  for (const number of blocks) {
    const sql = "SELECT body FROM transfer WHERE position >= ? AND position < ? ORDER BY position";
    const rows = await db.all<[Bytes]>(sql, firstPosition(number), firstPosition(number + 1));
    const transfers = rows.map(([body]) => readTransfer(body));
    const carried = await wrappers.block(number);
    const changes = tokenChanges(transfers, carried);
    await holdings.block(
      number,
      withCarried(
        holdingChanges(transfers, ({ token }) => token),
        carried,
      ),
      (token, before, after) => {
        const change = changes.get(token);
        if (change === undefined) return;
        change.holders += Number(after > 0n) - Number(before > 0n);
        change.debtors += Number(after < 0n) - Number(before < 0n);
      },
    );
    await items.block(
      number,
      holdingChanges(transfers, ({ item }) => item),
    );
    await tokens.block(number, changes, (before, change) => applyToToken(before ?? NO_TOKEN, change));
  }
}

function applyToToken(before: TokenState, change: TokenChange): TokenState {
  const { kinds, holders, debtors, supply } = before;
  return {
    kinds: KINDS.filter((kind) => kinds.includes(kind) || change.kinds.includes(kind)),
    holders: holders + change.holders,
    debtors: debtors + change.debtors,
    supply: supply + change.supply,
    mints: before.mints || change.mints,
    hasItems: kinds.length === 0 ? change.beginsWithItem : before.hasItems,
  };
}

function tokenChanges(transfers: readonly StoredTransfer[], carried: Carried): Map<number, TokenChange> {
  const changes = new Map<number, TokenChange>();
  for (const transfer of transfers) {
    const { token, kind, from, to, amount } = transfer;
    const change = changes.get(token) ?? {
      ...{ kinds: [], holders: 0, debtors: 0, supply: sumOf(carried.get(token)) },
      ...{ mints: false, beginsWithItem: kind === "ERC-1155" },
    };
    changes.set(token, change);
    change.kinds = [...new Set([...change.kinds, kind])];
    if (isErc20Mint(transfer, from === ZERO_ADDRESS_ID)) change.mints = true;
    if (from === ZERO_ADDRESS_ID) change.supply += uintToBigInt(amount);
    if (to === ZERO_ADDRESS_ID) change.supply -= uintToBigInt(amount);
  }
  return changes;
}

function holdingChanges(
  transfers: readonly StoredTransfer[],
  assetOf: (transfer: StoredTransfer) => number,
): HoldingChanges {
  const changes: HoldingChanges = new Map();
  for (const transfer of transfers) {
    const asset = assetOf(transfer);
    if (asset === NO_ITEM) continue;
    for (const address of new Set([transfer.from, transfer.to])) {
      if (address === ZERO_ADDRESS_ID) continue;
      const key = `${address} ${asset}`;
      const change = changes.get(key) ?? { address, asset, amount: 0n, transfers: 0 };
      changes.set(key, change);
      change.transfers++;
      const sign = BigInt(Number(transfer.to === address) - Number(transfer.from === address));
      change.amount += sign * uintToBigInt(transfer.amount);
    }
  }
  return changes;
}

/** Deposits that became balances in a block, by token and address. */
type Carried = ReadonlyMap<number, ReadonlyMap<number, bigint>>;

const sumOf = (balances: ReadonlyMap<number, bigint> | undefined): bigint =>
  [...(balances?.values() ?? [])].reduce((sum, amount) => sum + amount, 0n);

function withCarried(changes: HoldingChanges, carried: Carried): HoldingChanges {
  for (const [asset, balances] of carried) {
    for (const [address, amount] of balances) {
      const key = `${address} ${asset}`;
      const change = changes.get(key) ?? { address, asset, amount: 0n, transfers: 0 };
      changes.set(key, change);
      change.amount += amount;
    }
  }
  return changes;
}

/** Walks the journal of deposit contracts. Deposits are only in logs, so earlier values are checked for form only. */
class DepositWalk {
  readonly #db: Reader;
  readonly #report: AuditReport;
  readonly #rows = new Map<number, DepositLedger | undefined>();

  constructor(db: Reader, report: AuditReport) {
    this.#db = db;
    this.#report = report;
  }

  /** Carried over in the next lower block. */
  async block(number: number): Promise<Carried> {
    const sql = "SELECT id, before FROM journal WHERE block = ? AND source = 'wrapper'";
    const journaled = await this.#db.all<[number, Bytes | null]>(sql, number);
    await this.#load(journaled.map(([id]) => id));
    const carried = new Map<number, ReadonlyMap<number, bigint>>();
    for (const [id, bytes] of journaled) {
      const before = bytes === null ? undefined : this.#report.try(() => depositCodec.read(bytes));
      const after = this.#rows.get(id);
      const isComplete = after !== undefined && (bytes === null || before !== undefined);
      this.#report.expect(isComplete, `the journal of block ${number} restores contract ${id} wrongly`);
      if (after?.phase === "carried" && before?.phase !== "carried") carried.set(id, after.balances);
      this.#rows.set(id, before);
    }
    return carried;
  }

  async #load(ids: readonly number[]): Promise<void> {
    const missing = ids.filter((id) => !this.#rows.has(id));
    for (const [id, value] of await this.#db.load<[number, Bytes]>(
      "SELECT id, value FROM wrapper WHERE id IN ($keys)",
      missing,
    )) {
      this.#rows.set(
        id,
        this.#report.try(() => depositCodec.read(value)),
      );
    }
  }
}

class HoldingWalk {
  readonly #db: Reader;
  readonly #report: AuditReport;
  readonly #table: "holding" | "item_holding";
  readonly #rows = new Map<string, Bytes | null>();

  constructor(db: Reader, report: AuditReport, table: "holding" | "item_holding") {
    this.#db = db;
    this.#report = report;
    this.#table = table;
  }

  /** `tell` receives amounts before and after. */
  async block(
    number: number,
    changes: HoldingChanges,
    tell: (asset: number, before: bigint, after: bigint) => void = () => {},
  ): Promise<void> {
    const where = `of block ${number} in ${this.#table}_journal`;
    const sql = `SELECT address, asset, before FROM ${this.#table}_journal WHERE block = ?`;
    const rows = await this.#db.all<[number, number, Bytes | null]>(sql, number);
    const journaled = new Map(rows.map(([address, asset, before]) => [`${address} ${asset}`, before]));
    await this.#load(changes);
    for (const [key, change] of changes) {
      const before = journaled.get(key);
      if (!this.#report.expectFound(before, `the row ${key} ${where} is missing`)) continue;
      const amounts = this.#report.try(() => this.#amounts(before, this.#rows.get(key) ?? null, change));
      this.#report.expect(amounts !== undefined, `the row ${key} ${where} restores a holding wrongly`);
      if (amounts !== undefined) tell(change.asset, ...amounts);
      this.#rows.set(key, before);
    }
    const unexpected = [...journaled.keys()].filter((key) => !changes.has(key));
    for (const key of unexpected) this.#report.expect(false, `the row ${key} ${where} is of nothing that it changed`);
  }

  /** Amounts whose difference is the change. */
  #amounts(before: Bytes | null, after: Bytes | null, change: HoldingChange): [bigint, bigint] | undefined {
    if (after === null) return undefined;
    const [old, now] = [before === null ? undefined : readHolding(before), readHolding(after)];
    const listed = this.#table === "holding" ? change.transfers : 0;
    const isListed = now.transfers.count === (old?.transfers.count ?? 0) + listed;
    const isMoved = now.amount === (old?.amount ?? 0n) + change.amount;
    return isListed && isMoved ? [old?.amount ?? 0n, now.amount] : undefined;
  }

  async #load(changes: HoldingChanges): Promise<void> {
    const missing = [...changes].filter(([key]) => !this.#rows.has(key));
    const pairs = missing.map(([, { address, asset }]) => [address, asset] as const);
    const sql = `SELECT address, asset, value FROM ${this.#table} WHERE (address, asset) IN ($pairs)`;
    for (const [address, asset, value] of await this.#db.loadPairs<[number, number, Bytes]>(sql, pairs))
      this.#rows.set(`${address} ${asset}`, value);
  }
}
