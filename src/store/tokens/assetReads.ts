import type { Bytes } from "../../chain/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import { mustHave } from "../encoding.ts";
import type { Engine, Row, Value } from "../engine/engine.ts";
import { readHolding } from "./holdings.ts";
import { kindBits } from "./tokenState.ts";
import { readItem } from "./tokenTables.ts";

/** Something an address has: a token, or an item of an ERC-1155. */
export interface Asset {
  readonly token: number;
  /** 0 for a token as a whole. */
  readonly item: number;
}

export interface HeldAsset extends Asset {
  /** 32 bytes, where it is an item. */
  readonly tokenId: Bytes | undefined;
  readonly amount: bigint;
}

/** Tokens, or items, of one address that are gone through to count them. */
export const MOST_ASSETS = 50_000;

/** The first byte of a token whose type is ERC-1155. */
const ONLY_ERC1155 = Uint8Array.of(kindBits(["ERC-1155"]));
const HELD = "SELECT asset FROM holding WHERE address = ? AND held = 1 ORDER BY asset LIMIT ?";
/** Also those of which nothing is left in sum: a token that lies can have items of less than nothing. */
const MULTI =
  "SELECT h.asset FROM holding h JOIN token t ON t.id = h.asset WHERE h.address = ? AND substr(t.value, 1, 1) = ? LIMIT ?";
const ITEMS =
  "SELECT h.asset, i.value FROM item_holding h JOIN item i ON i.id = h.asset WHERE h.address = ? AND h.held = 1 ORDER BY h.asset LIMIT ?";

/** What addresses have. An ERC-1155 counts item by item, every other token as a whole. */
export class AssetReads {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** All that an address has more than nothing of, in the order in which tokens and their items were first seen. */
  async of(address: number): Promise<Asset[]> {
    const multi = new Set((await this.#all(MULTI, address, ONLY_ERC1155)).map(([token]) => token as number));
    const held = (await this.#all(HELD, address)).map(([token]) => ({ token: token as number, item: 0 }));
    if (multi.size === 0) return held;
    const assets: Asset[] = held.filter(({ token }) => !multi.has(token));
    for (const [item, value] of await this.#all(ITEMS, address)) {
      const { token } = readItem(value as Bytes);
      if (multi.has(token)) assets.push({ token, item: item as number });
    }
    return assets.sort(byFirstSeen);
  }

  /** How many assets an address has; one more than `MOST_ASSETS` where they are too many to go through. */
  async count(address: number): Promise<number> {
    try {
      return (await this.of(address)).length;
    } catch (error) {
      if (error instanceof ChainError && error.code === "limit_exceeded") return MOST_ASSETS + 1;
      throw error;
    }
  }

  /** In the order of the assets asked for. */
  async amounts(address: number, assets: readonly Asset[]): Promise<HeldAsset[]> {
    const items = assets.filter(({ item }) => item > 0).map(({ item }) => item);
    const tokens = assets.filter(({ item }) => item === 0).map(({ token }) => token);
    const [ofTokens, ofItems] = [
      await this.#amounts("holding", address, tokens),
      await this.#amounts("item_holding", address, items),
    ];
    const rows = await this.#engine.load("SELECT id, value FROM item WHERE id IN ($keys)", items);
    const ids = new Map(rows.map(([id, value]) => [id as number, readItem(value as Bytes).tokenId]));
    return assets.map(({ token, item }) => {
      const amount = mustHave(item === 0 ? ofTokens.get(token) : ofItems.get(item), `what address ${address} has`);
      return { token, item, tokenId: ids.get(item), amount };
    });
  }

  async #amounts(table: string, address: number, assets: readonly number[]): Promise<Map<number, bigint>> {
    const pairs = assets.map((asset) => [address, asset] as const);
    const sql = `SELECT asset, value FROM ${table} WHERE (address, asset) IN (VALUES $pairs)`;
    const rows = await this.#engine.loadPairs(sql, pairs);
    return new Map(rows.map(([asset, value]) => [asset as number, readHolding(value as Bytes).amount]));
  }

  /** A statement cannot be interrupted, so it ends by itself. */
  async #all(sql: string, ...parameters: Value[]): Promise<Row[]> {
    const rows = await this.#engine.all(sql, ...parameters, MOST_ASSETS + 1);
    if (rows.length <= MOST_ASSETS) return rows;
    throw new ChainError("limit_exceeded", `an address has over ${MOST_ASSETS} assets`);
  }
}

export function byFirstSeen(a: Asset, b: Asset): number {
  return a.token - b.token || a.item - b.item;
}
