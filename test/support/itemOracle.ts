import { getAddress } from "viem";
import type { Json } from "./api.ts";
import type { ChainOracle } from "./chainOracle.ts";
import type { PlainTransfer } from "./plainLedger.ts";
import { typeOf } from "./tokenOracle.ts";

const ZERO = `0x${"0".repeat(40)}`;

interface PlainHolding {
  readonly holder: string;
  readonly id: string;
  readonly value: bigint;
}

/** Expected REST responses about token ids, from the plain ledger of a chain. */
export class ItemOracle {
  readonly #of: ChainOracle;

  constructor(oracle: ChainOracle) {
    this.#of = oracle;
  }

  /** The ids of a token, those that a transfer named last first. */
  idsOf(token: string): string[] {
    const named = [...this.#of.itemPlaces().keys()].filter((item) => item.startsWith(`${token} `));
    return named.map((item) => item.split(" ")[1]!).reverse();
  }

  /** Newest first. */
  transfers(token: string, id: string): PlainTransfer[] {
    return this.#of.tokens.transfers.filter((one) => one.token === token && String(one.id) === id);
  }

  /** Holdings of a token's ids, or of one id, largest first; of equal ones the later first. */
  holdings(token: string, of?: string): PlainHolding[] {
    const found = [...this.#of.tokens.ledger.get(token)!.itemBalances].flatMap(([key, value]) => {
      const [id = "", holder = ""] = key.split("/");
      return value > 0n && (of === undefined || of === id) ? [{ id, holder, value }] : [];
    });
    const places = this.#of.itemPlaces();
    const place = ({ id }: PlainHolding) => places.get(`${token} ${id}`)!;
    const appeared = ({ holder }: PlainHolding) => this.#of.appeared.get(holder)!;
    return found.sort((a, b) =>
      a.value === b.value ? place(b) - place(a) || appeared(b) - appeared(a) : a.value > b.value ? -1 : 1,
    );
  }

  isItems(token: string): boolean {
    return typeOf(this.#of.tokens.ledger.get(token)!) === "ERC-1155";
  }

  /** Null if it has no owner, or may have many. */
  owner(token: string, id: string): string | null {
    const [last] = this.transfers(token, id);
    return this.isItems(token) || last?.kind !== "ERC-721" || last.to === ZERO ? null : last.to;
  }

  /** Without fields read from the contract. */
  instance(token: string, id: string): Json {
    const held = this.holdings(token, id);
    const owner = this.owner(token, id);
    return {
      id,
      owner: owner === null ? null : this.#of.address(owner),
      token: getAddress(token),
      is_unique: !this.isItems(token) || (held.length === 1 && held[0]!.value === 1n),
      media_type: null,
      thumbnails: null,
    };
  }

  holders(token: string, id?: string): Json[] {
    return this.holdings(token, id).map(({ holder, value, ...of }) => this.#holder(holder, value, of.id));
  }

  #holder(holder: string, value: bigint, id: string): Json {
    return { address: this.#of.address(holder), value: String(value), value_source: "ledger", token_id: id };
  }

  /** For a token as a whole, its owner. */
  holdersOf(token: string, id: string): Json[] {
    if (this.isItems(token)) return this.holders(token, id);
    const [last] = this.transfers(token, id);
    return last === undefined || last.to === ZERO ? [] : [this.#holder(last.to, 1n, id)];
  }

  /** The ids that an address has: those of ERC-1155 tokens, then the others, each in the order of their first transfers. */
  own(address: string, kinds: readonly string[]): (Json & { token: string })[] {
    const found = [...this.#of.itemPlaces()].flatMap(([item, place]) => {
      const [token = "", id = ""] = item.split(" ");
      const value = this.#of.tokens.ledger.get(token)!.itemBalances.get(`${id}/${address}`) ?? 0n;
      const kind = this.isItems(token) ? "ERC-1155" : "ERC-721";
      return value > 0n && kinds.includes(kind) ? [{ token, id, value, kind, place }] : [];
    });
    found.sort((a, b) => (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : a.place - b.place));
    return found.map(({ token, id, value, kind }) => ({
      ...this.instance(token, id),
      token: getAddress(token),
      token_type: kind,
      value: String(value),
    }));
  }

  /** The tokens of those, in the order in which they appeared. */
  collections(address: string, kinds: readonly string[]): Json[] {
    const byToken = Map.groupBy(this.own(address, kinds), ({ token }) => token);
    const tokens = [...byToken.keys()].sort((a, b) => this.#place(a) - this.#place(b));
    return tokens.map((token) => {
      const items = byToken.get(token)!;
      return { token, amount: String(items.length), token_instances: items.slice(0, 15) };
    });
  }

  #place(token: string): number {
    return this.#of.appeared.get(token.toLowerCase())!;
  }
}
