import type { BlockNumber } from "../../../../chain/block/header.ts";
import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import { isZero } from "../../../../chain/encoding/bytes.ts";
import type { TokenKind } from "../../../../chain/token/tokenTransfer.ts";
import { Turn } from "../../../../std/async.ts";
import type { KeyedHash } from "../../../dictionary/keyedHash.ts";
import type { Reader } from "../../../engine/database.ts";
import { AddressResolver } from "../../../read/addressResolver.ts";
import type { StoredBlock } from "../../../read/blocks.ts";
import { BlockReads } from "../../../read/blocks.ts";
import type { MinedTransaction } from "../../../read/transactions.ts";
import { TransactionReads } from "../../../read/transactions.ts";
import { ByteReader, mustHave } from "../../../rows/encoding.ts";
import type { AddressId, ItemId } from "../../../rows/ids.ts";
import type { Ordinal, Position } from "../../../rows/position.ts";
import { blockOf, firstPosition, transactionPosition } from "../../../rows/position.ts";
import type { ListReads, OrdinalList, SearchableList } from "../../../tables/list.ts";
import { RUN, sliceRuns, tailStart } from "../../../tables/listRuns.ts";
import { keepLoaded, lowerBound } from "../../../tables/lowerBound.ts";
import { searchRuns } from "../../../tables/runSearch.ts";
import { readHolding } from "../tables/holdings.ts";
import { addressTransfers, readItem, tokenTransfers } from "../tables/tokenTables.ts";
import type { TokenTip } from "../tables/tokenTip.ts";
import { readTransferCounts } from "../tables/tokenTip.ts";
import type { StoredTransfer } from "../tables/transferBody.ts";
import { readTransfer } from "../tables/transferBody.ts";
import type { TransferRanges } from "../tables/transferCounts.ts";
import { countTransfers, rangeIn, readTransferRanges, transfersOfTransaction } from "../tables/transferCounts.ts";
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

/** Rows that are counted from the newest one; where they are more, the block is searched for. */
const MAX_COUNTED = 1000;

/** Runs that are looked up at once. */
const PROBED = 16;
const RUNS_OF_PAIR = `SELECT ordinal, body FROM holding_run WHERE address = ? AND asset = ? AND ordinal IN (${Array(PROBED).fill("?").join()})`;

type Blocks = Map<BlockNumber, StoredBlock>;

const NO_BLOCKS: Blocks = new Map();

const BY_POSITION = "SELECT position, body FROM transfer WHERE position IN ($keys)";

export class TransferReads {
  readonly #db: Reader;
  readonly #hash: KeyedHash;
  readonly #ofTokens: ListReads;
  readonly #ofAddresses: ListReads;

  constructor(db: Reader, hash: KeyedHash) {
    this.#db = db;
    this.#hash = hash;
    this.#ofTokens = tokenTransfers(db);
    this.#ofAddresses = addressTransfers(db);
  }

  ofToken(token: AddressId): SearchableList {
    return this.#ofTokens.of(token);
  }

  /** The same by the address of its contract. */
  ofTokenAt(address: Bytes): Promise<SearchableList> {
    return this.#ofTokens.find("address", this.#hash, address);
  }

  /** Those from and to an address; of the zero address, what was minted and burnt. */
  async ofAddressAt(address: Bytes): Promise<SearchableList> {
    return isZero(address) ? this.ofAddress(ZERO_ADDRESS_ID) : this.#ofAddresses.find("address", this.#hash, address);
  }

  /** Of the zero address, under its own id, what was minted and burnt. */
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

  /** Up to and including each block. */
  countsUpTo(blocks: readonly BlockNumber[]): Promise<Map<BlockNumber, number>> {
    return readTransferCounts(this.#db, blocks);
  }

  /** The block is found by totals; positions within a block are consecutive. */
  async #sliceAll(first: BlockNumber, tip: TokenTip, from: Ordinal, to: Ordinal): Promise<Position[]> {
    const end = Math.min(to, tip.totals.transfers);
    if (end <= from) return [];
    const newer = tip.totals.transfers - end;
    if (newer <= MAX_COUNTED) return this.#countDown(newer, end - from);
    const [load, counts] = keepLoaded((numbers) => readTransferCounts(this.#db, numbers));
    const [block = tip.number] = await lowerBound(
      [from],
      [first, tip.number],
      load,
      (count, ordinal, number) => mustHave(count, `tokens of block ${number}`) > ordinal,
    );
    const before = counts.get(block - 1) ?? 0;
    const sql = "SELECT position FROM transfer WHERE position >= ? ORDER BY position LIMIT ?";
    const rows = await this.#db.all<[Position]>(sql, firstPosition(block) + from - before, end - from);
    return rows.map(([position]) => position);
  }

  /** The newest `count` positions but for some, in ascending order. */
  async #countDown(skipped: number, count: number): Promise<Position[]> {
    const sql = "SELECT position FROM transfer ORDER BY position DESC LIMIT ? OFFSET ?";
    return (await this.#db.all<[Position]>(sql, count, skipped)).map(([position]) => position).reverse();
  }

  /** The positions of the newest transfers below one, newest first. */
  async below(position: Position = Number.MAX_SAFE_INTEGER, count: number): Promise<Position[]> {
    const sql = "SELECT position FROM transfer WHERE position < ? ORDER BY position DESC LIMIT ?";
    return (await this.#db.all<[Position]>(sql, position, count)).map(([found]) => found);
  }

  /** By position. */
  async stored(positions: readonly Position[]): Promise<Map<Position, StoredTransfer>> {
    const rows = await this.#db.load<[Position, Bytes]>(BY_POSITION, positions);
    return new Map(rows.map(([position, body]) => [position, readTransfer(body)]));
  }

  /** Transfer ranges of the blocks that have transactions with this hash prefix, read ahead for `ofTransaction`. */
  rangesOf(hash: Bytes): Promise<TransferRanges> {
    return readTransferRanges(this.#db, hash);
  }

  /** The transfers of one transaction of a block, by its place in it. */
  ofTransaction(block: number, index: number, ranges?: TransferRanges): OrdinalList {
    const found = Promise.resolve(
      ranges === undefined ? transfersOfTransaction(this.#db, block, index) : rangeIn(ranges, block, index),
    );
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

  /** The transfers of a block by the standard of their token. */
  async countByKind(block: BlockNumber): Promise<Map<TokenKind, number>> {
    const counts = new Map<TokenKind, number>();
    const turn = new Turn();
    const sql = "SELECT position, body FROM transfer WHERE position >= ? AND position < ? ORDER BY position LIMIT ?";
    for (let [from, isLast] = [firstPosition(block), false]; !isLast; ) {
      const rows = await this.#db.all<[Position, Bytes]>(sql, from, firstPosition(block + 1), MAX_COUNTED);
      for (const [position, body] of rows) {
        const { kind } = readTransfer(body);
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
        from = position + 1;
      }
      isLast = rows.length < MAX_COUNTED;
      await turn.yieldToEventLoop();
    }
    return counts;
  }

  /** By transaction key; missing if there are none. */
  counts(keys: readonly number[]): Promise<ReadonlyMap<number, number>> {
    return countTransfers(this.#db, keys);
  }

  /**
   * In the order of the positions asked for. `emitter` saves looking for it where it is known to be the one of all. `related`
   * reads what follows from the stored transfers at the same time as their transactions.
   */
  async at(
    positions: readonly Position[],
    emitter?: MinedTransaction,
    related: (stored: readonly StoredTransfer[]) => Promise<unknown> = async () => {},
  ): Promise<MinedTransfer[]> {
    const found: MinedTransfer[] = [];
    const turn = new Turn();
    for (let from = 0; from < positions.length; from += BATCH_SIZE) {
      const some = positions.slice(from, from + BATCH_SIZE);
      const [stored, blocks] = await Promise.all([
        this.stored(some),
        emitter === undefined ? new BlockReads(this.#db).headers(new Set(some.map(blockOf))) : NO_BLOCKS,
      ]);
      const [transfers] = await Promise.all([
        this.#read(some, stored, emitter ?? blocks),
        related([...stored.values()]),
      ]);
      found.push(...transfers);
      await turn.yieldToEventLoop();
    }
    return found;
  }

  async #read(
    positions: readonly Position[],
    stored: ReadonlyMap<Position, StoredTransfer>,
    from: MinedTransaction | Blocks,
  ): Promise<MinedTransfer[]> {
    const resolver = new AddressResolver(this.#db, { infos: true });
    const party = (id: number) => (id === ZERO_ADDRESS_ID ? ZERO_ADDRESS : resolver.address(id));
    const found = positions.map((position) => {
      const transfer = mustHave(stored.get(position), `the transfer at ${position}`);
      return { position, ...transfer, from: party(transfer.from), to: party(transfer.to) };
    });
    const [ids, emitters] = await Promise.all([
      this.#tokenIds([...stored.values()]),
      from instanceof Map ? this.#emitters(stored, from) : from,
      resolver.load(),
    ]);
    return found.map(({ position, kind, token, from: sender, to, amount, logIndex, item }) => {
      const mined =
        emitters instanceof Map
          ? mustHave(emitters.get(position), `the transaction of the transfer at ${position}`)
          : emitters;
      return { kind, token, from: sender, to, tokenId: ids.get(item), item, amount, logIndex, mined };
    });
  }

  /** The transactions of transfers in some blocks, by the positions of those. */
  async #emitters(
    stored: ReadonlyMap<Position, StoredTransfer>,
    blocks: Blocks,
  ): Promise<Map<Position, MinedTransaction>> {
    // Up to here the transaction of a log may stand, and the next one stands above.
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
    if (to <= from) return [];
    const sql =
      "SELECT ordinal, body FROM holding_run WHERE address = ? AND asset = ? AND ordinal > ? AND ordinal < ? ORDER BY ordinal";
    const [holding, rows] = await Promise.all([
      this.#holding(address, token),
      this.#db.all<[number, Bytes]>(sql, address, token, from - RUN, to),
    ]);
    if (holding === undefined) return [];
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
    const parts = Array.from({ length: Math.ceil(runs.length / PROBED) }, (_, part) => {
      const at = part * PROBED;
      const ordinals = Array.from({ length: PROBED }, (_, i) => (runs[at + i] ?? runs[at]!) * RUN);
      return this.#db.all<[number, Bytes]>(RUNS_OF_PAIR, address, token, ...ordinals);
    });
    const rows = (await Promise.all(parts)).flat();
    return new Map(rows.map(([ordinal, body]) => [ordinal / RUN, new ByteReader(body).varint()]));
  }
}

const ZERO_ADDRESS = new Uint8Array(20);
