import type { Bytes } from "../../chain/bytes.ts";
import { Dictionary } from "../dictionary.ts";
import type { Engine } from "../engine/engine.ts";
import type { KeyedHash } from "../keyedHash.ts";
import { PositionList } from "../list.ts";
import { MutableRows } from "../mutableRows.ts";
import { signedAmount } from "./signedAmount.ts";
import type { TokenState } from "./tokenState.ts";
import { tokenState } from "./tokenState.ts";

const CACHED = 200_000;

/** The tables of the tokens stage as the write path uses them. */
export class TokenTables {
  readonly engine: Engine;
  /** A token and an address. */
  readonly holdings: Dictionary;
  /** A token and an id in it. */
  readonly items: Dictionary;
  /** An item and an address. */
  readonly itemHoldings: Dictionary;
  readonly tokenTransfers: PositionList;
  readonly addressTransfers: PositionList;
  readonly holdingTransfers: PositionList;
  /** The holdings an address ever had, in the order it got them. */
  readonly addressHoldings: PositionList;
  readonly tokenItems: PositionList;
  readonly tokens: MutableRows<TokenState>;
  readonly balances: MutableRows<bigint>;
  readonly itemBalances: MutableRows<bigint>;

  constructor(engine: Engine, hash: KeyedHash) {
    this.engine = engine;
    this.holdings = new Dictionary(engine, hash, "holding", 8, CACHED);
    this.items = new Dictionary(engine, hash, "item", 36, CACHED);
    this.itemHoldings = new Dictionary(engine, hash, "item_holding", 8, CACHED);
    const list = (name: string) => new PositionList(engine, name, { tagged: false });
    this.tokenTransfers = list("token_transfer");
    this.addressTransfers = list("address_transfer");
    this.holdingTransfers = list("holding_transfer");
    this.addressHoldings = list("address_holding");
    this.tokenItems = list("token_item");
    this.tokens = new MutableRows(engine, "token", tokenState);
    this.balances = new MutableRows(engine, "balance", signedAmount);
    this.itemBalances = new MutableRows(engine, "item_balance", signedAmount);
  }

  get dictionaries(): readonly Dictionary[] {
    return [this.holdings, this.items, this.itemHoldings];
  }

  get lists(): readonly PositionList[] {
    return [this.tokenTransfers, this.addressTransfers, this.holdingTransfers, this.addressHoldings, this.tokenItems];
  }

  clear(): void {
    for (const part of [...this.dictionaries, ...this.lists]) part.clear();
    this.tokens.clear();
    this.balances.clear();
    this.itemBalances.clear();
  }
}

/** Two ids as the value of a dictionary. */
export function idPair(a: number, b: number): Bytes {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, a);
  view.setUint32(4, b);
  return bytes;
}

export function readIdPair(value: Bytes): [number, number] {
  const view = new DataView(value.buffer, value.byteOffset, 8);
  return [view.getUint32(0), view.getUint32(4)];
}

export function itemValue(token: number, tokenId: Bytes): Bytes {
  const bytes = new Uint8Array(36);
  new DataView(bytes.buffer).setUint32(0, token);
  bytes.set(tokenId, 4);
  return bytes;
}
