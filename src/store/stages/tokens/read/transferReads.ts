import type { BlockNumber } from "../../../../chain/block/header.ts";
import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import type { TokenKind } from "../../../../chain/token/tokenTransfer.ts";
import { Turn } from "../../../../std/async.ts";
import type { Reader } from "../../../engine/database.ts";
import { AddressResolver } from "../../../read/addressResolver.ts";
import { BlockReads } from "../../../read/blocks.ts";
import type { MinedTransaction } from "../../../read/transactions.ts";
import { TransactionReads } from "../../../read/transactions.ts";
import { ByteReader, mustHave } from "../../../rows/encoding.ts";
import type { AddressId, ItemId } from "../../../rows/ids.ts";
import type { Ordinal, Position } from "../../../rows/position.ts";
import { blockOf, firstPosition, transactionPosition } from "../../../rows/position.ts";
import type { ListReads, OrdinalList, SearchableList } from "../../../tables/list.ts";
import { RUN, sliceRuns, tailStart } from "../../../tables/list.ts";
import { lowerBound } from "../../../tables/lowerBound.ts";
import { searchRuns } from "../../../tables/runSearch.ts";
import { readHolding } from "../tables/holdings.ts";
import { addressTransfers, readItem, tokenTransfers } from "../tables/tokenTables.ts";
import type { TokenTip } from "../tables/tokenTip.ts";
import { readTransferCounts } from "../tables/tokenTip.ts";
import type { StoredTransfer } from "../tables/transferBody.ts";
import { readTransfer } from "../tables/transferBody.ts";
import { countTransfers, transfersOfTransaction } from "../tables/transferCounts.ts";
import { ZERO_ADDRESS_ID } from "../tables/transferIds.ts";

/** A transfer and its transaction. */
export interface MinedTransfer {
  readonly kind: TokenKind;
  readonly token: AddressId;
  readonly from: Bytes;
  readonly to: Bytes;
  readonly tokenId: Bytes | undefined;
  /** 0 for ERC-20. */
  readonly item: ItemId;
  readonly amount: Bytes;
  readonly logIndex: number;
  readonly mined: MinedTransaction;
}

/** Transfers read between yields. */
const BATCH_SIZE = 200;

/** Runs per lookup. */
const PROBED = 16;
const RUNS_OF_PAIR = `SELECT ordinal, body FROM holding_run WHERE address = ? AND asset = ? AND ordinal IN (${Array(PROBED).fill("?").join()})`;

const BY_POSITION = "SELECT position, body FROM transfer WHERE position IN ($keys)";

export class TransferReads {
  readonly #db: Reader;
  readonly #ofTokens: ListReads;
  readonly #ofAddresses: ListReads;

  constructor(db: Reader) {
    this.#db = db;
    this.#ofTokens = tokenTransfers(db);
    this.#ofAddresses = addressTransfers(db);
  }

  ofToken(token: AddressId): SearchableList {
    return this.#ofTokens.of(token);
  }

  /** The zero address has mints and burns. */
  ofAddress(address: AddressId): SearchableList {
    return this.#ofAddresses.of(address);
  }

  /** The zero address has no such list. */
  ofPair(address: AddressId, token: AddressId): SearchableList {
    return {
      count: async () => (await this.#holding(address, token))?.transfers.count ?? 0,
      slice: (from, to) => this.#slicePair(address, token, from, to),
      ordinalsOf: (positions) => this.#ordinalsOfPair(address, token, positions),
    };
  }

  /** From `first` to the stage's tip. */
  all(first: BlockNumber, tip: TokenTip): OrdinalList {
    return {
      count: async () => tip.totals.transfers,
      slice: (from, to) => this.#sliceAll(first, tip, from, to),
    };
  }

  /** The block is found by totals; positions within a block are consecutive. */
  async #sliceAll(first: BlockNumber, tip: TokenTip, from: Ordinal, to: Ordinal): Promise<Position[]> {
    if (to <= from || from >= tip.totals.transfers) return [];
    const [block = tip.number] = await lowerBound(
      [from],
      [first, tip.number],
      (numbers) => readTransferCounts(this.#db, numbers),
      (count, ordinal, number) => mustHave(count, `tokens of block ${number}`) > ordinal,
    );
    const before = (await readTransferCounts(this.#db, [block - 1])).get(block - 1) ?? 0;
    const sql = "SELECT position FROM transfer WHERE position >= ? ORDER BY position LIMIT ?";
    const rows = await this.#db.all<[Position]>(sql, firstPosition(block) + from - before, to - from);
    return rows.map(([position]) => position);
  }

  async below(position: Position = Number.MAX_SAFE_INTEGER, count: number): Promise<Position[]> {
    const sql = "SELECT position FROM transfer WHERE position < ? ORDER BY position DESC LIMIT ?";
    return (await this.#db.all<[Position]>(sql, position, count)).map(([found]) => found);
  }

  /** By position. */
  async stored(positions: readonly Position[]): Promise<Map<Position, StoredTransfer>> {
    const rows = await this.#db.load<[Position, Bytes]>(BY_POSITION, positions);
    return new Map(rows.map(([position, body]) => [position, readTransfer(body)]));
  }

  /** By transaction index. */
  ofTransaction(block: number, index: number): OrdinalList {
    const found = transfersOfTransaction(this.#db, block, index);
    return {
      count: async () => (await found).to - (await found).from,
      slice: async (from, to) => {
        const range = await found;
        const start = firstPosition(block) + range.from;
        const end = Math.min(start + to, firstPosition(block) + range.to);
        return Array.from({ length: Math.max(end - start - from, 0) }, (_, at) => start + from + at);
      },
    };
  }

  /** Address ids of all senders and recipients. */
  async parties(from: number, to: number): Promise<Set<number>> {
    const sql = "SELECT body FROM transfer WHERE position >= ? AND position < ?";
    const parties = new Set<number>();
    const turn = new Turn();
    for (let block = from; block <= to; block++) {
      const rows = await this.#db.all<[Bytes]>(sql, firstPosition(block), firstPosition(block + 1));
      for (const [body] of rows) {
        const transfer = readTransfer(body);
        parties.add(transfer.from).add(transfer.to);
      }
      await turn.yieldToEventLoop();
    }
    return parties;
  }

  /** By transaction key; missing if there are none. */
  counts(keys: readonly number[]): Promise<ReadonlyMap<number, number>> {
    return countTransfers(this.#db, keys);
  }

  /** In the order of the positions. `emitter` saves a lookup if all share one transaction. */
  async at(positions: readonly Position[], emitter?: MinedTransaction): Promise<MinedTransfer[]> {
    const found: MinedTransfer[] = [];
    const turn = new Turn();
    for (let from = 0; from < positions.length; from += BATCH_SIZE) {
      found.push(...(await this.#read(positions.slice(from, from + BATCH_SIZE), emitter)));
      await turn.yieldToEventLoop();
    }
    return found;
  }

  async #read(positions: readonly Position[], emitter?: MinedTransaction): Promise<MinedTransfer[]> {
    const stored = await this.stored(positions);
    const ids = await this.#tokenIds([...stored.values()]);
    const emitters = emitter === undefined ? await this.#emitters(stored) : undefined;
    const resolver = new AddressResolver(this.#db, { infos: true });
    const party = (id: number) => (id === ZERO_ADDRESS_ID ? ZERO_ADDRESS : resolver.address(id));
    const found = positions.map((position) => {
      const transfer = mustHave(stored.get(position), `the transfer at ${position}`);
      const { kind, token, amount, logIndex, item } = transfer;
      const parties = { from: party(transfer.from), to: party(transfer.to) };
      const mined = emitter ?? mustHave(emitters!.get(position), `the transaction of the transfer at ${position}`);
      return { kind, token, ...parties, tokenId: ids.get(item), item, amount, logIndex, mined };
    });
    await resolver.load();
    return found;
  }

  /** By transfer position. */
  async #emitters(stored: ReadonlyMap<Position, StoredTransfer>): Promise<Map<Position, MinedTransaction>> {
    const blocks = await new BlockReads(this.#db).headers(new Set([...stored.keys()].map(blockOf)));
    // The log's transaction is at or below, the next one above.
    const highest = new Map(
      [...stored].map(([position, { transactionIndex, logIndex }]) => {
        const number = blockOf(position);
        const { transactions } = mustHave(blocks.get(number), `block ${number}`).sums;
        return [position, transactionPosition(number, transactionIndex, logIndex, transactions)];
      }),
    );
    const found = await new TransactionReads(this.#db).nearest([...new Set(highest.values())]);
    return new Map(
      [...highest].map(([position, place]) => [
        position,
        mustHave(found.get(place), `the transaction at or below ${place}`),
      ]),
    );
  }

  async #tokenIds(transfers: readonly StoredTransfer[]): Promise<Map<number, Bytes>> {
    const items = [...new Set(transfers.map(({ item }) => item))].filter((item) => item !== 0);
    const rows = await this.#db.load<[number, Bytes]>("SELECT id, value FROM item WHERE id IN ($keys)", items);
    return new Map(rows.map(([id, value]) => [id, readItem(value).tokenId]));
  }

  async #holding(address: AddressId, token: AddressId) {
    const [row] = await this.#db.all<[Bytes]>(
      "SELECT value FROM holding WHERE address = ? AND asset = ?",
      address,
      token,
    );
    return row === undefined ? undefined : readHolding(row[0]);
  }

  async #slicePair(address: AddressId, token: AddressId, from: number, to: number): Promise<number[]> {
    const holding = await this.#holding(address, token);
    if (holding === undefined || to <= from) return [];
    const sql =
      "SELECT ordinal, body FROM holding_run WHERE address = ? AND asset = ? AND ordinal > ? AND ordinal < ? ORDER BY ordinal";
    const rows = await this.#db.all<[number, Bytes]>(sql, address, token, from - RUN, to);
    rows.push([tailStart(holding.transfers.count), holding.transfers.body]);
    return sliceRuns(rows, from, to, false).map(({ position }) => position);
  }

  async #ordinalsOfPair(address: AddressId, token: AddressId, positions: readonly Position[]): Promise<Ordinal[]> {
    const list = {
      count: (await this.#holding(address, token))?.transfers.count ?? 0,
      runLength: RUN,
      firstPositions: (runs: readonly number[]) => this.#firstPositions(address, token, runs),
      slice: (from: number, to: number) => this.#slicePair(address, token, from, to),
    };
    return searchRuns(list, positions);
  }

  async #firstPositions(address: number, token: number, runs: readonly number[]): Promise<Map<number, number>> {
    const found = new Map<number, number>();
    for (let at = 0; at < runs.length; at += PROBED) {
      const ordinals = Array.from({ length: PROBED }, (_, i) => (runs[at + i] ?? runs[at]!) * RUN);
      const rows = await this.#db.all<[number, Bytes]>(RUNS_OF_PAIR, address, token, ...ordinals);
      for (const [ordinal, body] of rows) found.set(ordinal / RUN, new ByteReader(body).varint());
    }
    return found;
  }
}

const ZERO_ADDRESS = new Uint8Array(20);
