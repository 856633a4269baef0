import { getAddress } from "viem";
import type { Json } from "./api.ts";
import type { ChainOracle, PlainMined } from "./chainOracle.ts";
import type { NamedToken } from "./namedTokens.ts";
import { plainSearch } from "./namedTokens.ts";
import type { PlainBlock } from "./plainChain.ts";
import { time } from "./restOracle.ts";

interface Named extends NamedToken {
  readonly address: string;
}

/** Expected search results with all fields, by a full scan. */
export class FoundOracle {
  readonly #oracle: ChainOracle;
  readonly #named: readonly Named[];

  constructor(oracle: ChainOracle) {
    this.#oracle = oracle;
    this.#named = [...oracle.tokens.ledger.keys()].map((address) => {
      const { name, symbol, holders } = oracle.token(address) as Record<"name" | "symbol" | "holders", string | null>;
      return { address, name, symbol, holders: Number(holders), token: oracle.appeared.get(address)! };
    });
  }

  /** Names, symbols and parts of names. Digits alone find a block as well. */
  queries(): string[] {
    const texts = this.#named.flatMap(({ name, symbol }) => [name, symbol, name?.slice(1, 4) ?? null]);
    return [...new Set(texts)].filter((text) => text !== null && !/^[0-9\s]*$/.test(text)) as string[];
  }

  tokens(query: string): Json[] {
    const places = plainSearch(this.#named, query);
    return places.map((place) => this.#token(this.#named.find(({ token }) => token === place)!));
  }

  copies(): number {
    return this.#named.filter((token) => this.#isCopy(token)).length;
  }

  #isCopy({ symbol, holders }: Named): boolean {
    return symbol !== null && this.#named.some((other) => other.symbol === symbol && other.holders > holders);
  }

  #token(named: Named): Json {
    const { name, symbol, type, holders_count, total_supply } = this.#oracle.token(named.address);
    const address = getAddress(named.address);
    return {
      type: "token",
      name,
      symbol,
      address_hash: address,
      address,
      token_url: `/token/${address}`,
      address_url: `/address/${address}`,
      token_type: type,
      holders_count,
      is_copy: this.#isCopy(named),
      total_supply,
      icon_url: null,
      exchange_rate: null,
      circulating_market_cap: null,
      is_smart_contract_address: true,
      is_smart_contract_verified: false,
      is_verified_via_admin_panel: false,
      certified: false,
      priority: 2,
      reputation: "ok",
    };
  }

  /** The token, if it is one, and the address. */
  address(plain: string): Json[] {
    const token = this.#named.find(({ address }) => address === plain);
    const isContract = this.#oracle.isContract(plain);
    const address = getAddress(plain);
    const found = {
      type: isContract === true ? "contract" : "address",
      name: this.#oracle.address(plain).name,
      address_hash: address,
      address,
      url: `/address/${address}`,
      is_smart_contract_address: isContract,
      is_smart_contract_verified: false,
      ens_info: null,
      certified: false,
      priority: 0,
      reputation: "ok",
    };
    return token === undefined ? [found] : [this.#token(token), found];
  }

  block({ number, hash, block }: PlainBlock): Json {
    const place = { block_number: number, block_hash: hash, url: `/block/${hash}`, timestamp: time(block.timestamp) };
    return { type: "block", ...place, block_type: "block", priority: 3 };
  }

  transaction({ tx: { hash }, block }: PlainMined): Json {
    const place = { url: `/tx/${hash}`, timestamp: time(block.block.timestamp) };
    return { type: "transaction", transaction_hash: hash, tx_hash: hash, ...place, priority: 0 };
  }

  blob(hash: string, { block }: PlainMined): Json {
    return { type: "blob", blob_hash: hash, timestamp: time(block.block.timestamp), priority: 0 };
  }
}
