import type { BlockNumber } from "../../../../chain/block/header.ts";
import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import type { TokenKind } from "../../../../chain/token/tokenTransfer.ts";
import type { KeyedHash } from "../../../dictionary/keyedHash.ts";
import type { Reader } from "../../../engine/database.ts";
import { AddressResolver } from "../../../read/addressResolver.ts";
import { BlockReads } from "../../../read/blocks.ts";
import { loadCached } from "../../../read/snapshotCache.ts";
import { mustHave } from "../../../rows/encoding.ts";
import type { AddressId } from "../../../rows/ids.ts";
import type { OrdinalList } from "../../../tables/list.ts";
import { NO_LIST } from "../../../tables/list.ts";
import { stateOf } from "../tables/depositLedger.ts";
import { readHolding } from "../tables/holdings.ts";
import type { TokenObservation } from "../tables/observation.ts";
import { readObservations } from "../tables/observation.ts";
import type { Omissions } from "../tables/omissions.ts";
import { readOmissions } from "../tables/omissions.ts";
import type { TokenLabel } from "../tables/tokenLabels.ts";
import { labelsOf } from "../tables/tokenLabels.ts";
import type { TokenState } from "../tables/tokenState.ts";
import { tokenState, typeOf } from "../tables/tokenState.ts";
import { readTokenTip } from "../tables/tokenTip.ts";
import { readCoins } from "../tables/wrappedCoins.ts";
import { AssetReads } from "./assetReads.ts";
import { HolderReads } from "./holderReads.ts";
import { ItemReads } from "./itemReads.ts";
import { NameReads } from "./nameReads.ts";
import { RankReads } from "./rankReads.ts";
import { TransferReads } from "./transferReads.ts";

/** Ledger state and observation of a token. */
export interface KnownToken {
  readonly id: number;
  readonly address: Bytes;
  readonly state: TokenState;
  readonly seen: TokenObservation | undefined;
  readonly labels: readonly TokenLabel[];
}

/** Valid at the stage's own tip, which may be behind the core. */
export class TokenReads {
  readonly transfers: TransferReads;
  readonly holders: HolderReads;
  readonly assets: AssetReads;
  readonly names: NameReads;
  readonly ranks: RankReads;
  readonly items: ItemReads;
  readonly #db: Reader;

  constructor(db: Reader, hash: KeyedHash) {
    this.#db = db;
    this.transfers = new TransferReads(db, hash);
    this.holders = new HolderReads(db);
    this.assets = new AssetReads(db);
    this.names = new NameReads(db);
    this.ranks = new RankReads(db);
    this.items = new ItemReads(db, hash);
  }

  async tip(): Promise<number | undefined> {
    return (await readTokenTip(this.#db))?.number;
  }

  /** From `first` on. */
  async allTransfers(first: BlockNumber): Promise<OrdinalList> {
    const tip = await readTokenTip(this.#db);
    return tip === undefined ? NO_LIST : this.transfers.all(first, tip);
  }

  /** Omitted transfers. */
  omissions(): Promise<Omissions | undefined> {
    return readOmissions(this.#db);
  }

  /** Wrapped coins without transfers, by first appearance. */
  async coins(): Promise<number[]> {
    return [...(await readCoins(this.#db)).keys()];
  }

  /** Missing if it is neither a token nor a wrapped coin. */
  byId(ids: readonly number[]): Promise<Map<number, KnownToken>> {
    return loadCached(this.#db, "token", new Set(ids), (missing) => this.#read(missing));
  }

  /** Ascending by id after one. */
  async some(after: number, limit: number): Promise<{ readonly id: number; readonly kind: TokenKind }[]> {
    const sql = "SELECT id, value FROM token WHERE id > ? ORDER BY id LIMIT ?";
    const rows = await this.#db.all<[number, Bytes]>(sql, after, limit);
    return rows.map(([id, value]) => ({ id, kind: typeOf(tokenState.read(value)) }));
  }

  async observed(from: BlockNumber, to: BlockNumber): Promise<number[]> {
    const sql = "SELECT token FROM token_observation WHERE block >= ? AND block <= ?";
    return (await this.#db.all<[number]>(sql, from, to)).map(([token]) => token);
  }

  /** By token id. */
  async kinds(ids: readonly number[]): Promise<Map<number, TokenKind>> {
    return new Map([...(await this.#states(ids))].map(([id, state]) => [id, typeOf(state)]));
  }

  /** May be negative. */
  async balance(address: AddressId, token: AddressId): Promise<bigint> {
    const sql = "SELECT value FROM holding WHERE address = ? AND asset = ?";
    const [row] = await this.#db.all<[Bytes]>(sql, address, token);
    if (row !== undefined) return readHolding(row[0]).amount;
    return (await readCoins(this.#db)).get(token)?.balances.get(address) ?? 0n;
  }

  /** Tokens ever held, ascending by id after one. */
  async held(address: AddressId, after: number, limit: number): Promise<{ token: AddressId; amount: bigint }[]> {
    const sql = "SELECT asset, value FROM holding WHERE address = ? AND asset > ? ORDER BY asset LIMIT ?";
    const rows = await this.#db.all<[number, Bytes]>(sql, address, after, limit);
    return rows.map(([token, value]) => ({ token, amount: readHolding(value).amount }));
  }

  /** In the order of the pairs. */
  async balances(pairs: readonly (readonly [address: number, token: number])[]): Promise<bigint[]> {
    const sql = "SELECT address, asset, value FROM holding WHERE (address, asset) IN ($pairs)";
    const rows = await this.#db.loadPairs<[number, number, Bytes]>(sql, pairs);
    const held = new Map(rows.map(([address, token, value]) => [`${address} ${token}`, readHolding(value).amount]));
    const coins = held.size < pairs.length ? await readCoins(this.#db) : undefined;
    return pairs.map(
      ([address, token]) => held.get(`${address} ${token}`) ?? coins?.get(token)?.balances.get(address) ?? 0n,
    );
  }

  /** In the order of the pairs. */
  async itemBalances(pairs: readonly (readonly [address: number, item: number])[]): Promise<bigint[]> {
    const sql = "SELECT address, asset, value FROM item_holding WHERE (address, asset) IN ($pairs)";
    const rows = await this.#db.loadPairs<[number, number, Bytes]>(sql, pairs);
    const held = new Map(rows.map(([address, item, value]) => [`${address} ${item}`, readHolding(value).amount]));
    return pairs.map(([address, item]) => held.get(`${address} ${item}`) ?? 0n);
  }

  async #read(ids: readonly number[]): Promise<[number, KnownToken][]> {
    const resolver = new AddressResolver(this.#db);
    const addresses = new Map(ids.map((id) => [id, resolver.address(id)]));
    const [states, seen, first] = await Promise.all([
      this.#states(ids),
      readObservations(this.#db, ids),
      new BlockReads(this.#db).first(),
      resolver.load(),
    ]);
    const isComplete = first?.header.number === 0;
    return [...states].map(([token, state]): [number, KnownToken] => {
      const observed = seen.get(token);
      const labels = labelsOf(state, { ledger: observed?.ledger, isComplete });
      const address = mustHave(addresses.get(token), `the address of token ${token}`);
      return [token, { id: token, address, state, seen: observed, labels }];
    });
  }

  async #states(ids: readonly number[]): Promise<Map<number, TokenState>> {
    const [rows, coins] = await Promise.all([
      this.#db.load<[number, Bytes]>("SELECT id, value FROM token WHERE id IN ($keys)", ids),
      readCoins(this.#db),
    ]);
    const states = new Map(rows.map(([id, value]) => [id, tokenState.read(value)]));
    for (const id of ids) {
      const coin = states.has(id) ? undefined : coins.get(id);
      if (coin !== undefined) states.set(id, { ...stateOf(coin), kinds: ["ERC-20"] });
    }
    return states;
  }
}
