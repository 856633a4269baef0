import type { Bytes } from "../../chain/bytes.ts";
import { equalBytes, isZero } from "../../chain/bytes.ts";
import type { TokenKind } from "../../chain/tokenTransfer.ts";
import { uintToBigInt } from "../../chain/uint.ts";
import type { AuditReport } from "../auditReport.ts";
import type { Engine, Value } from "../engine/engine.ts";
import type { KeyedHash } from "../keyedHash.ts";
import type { Store } from "../store.ts";
import { writeSigned } from "./signedAmount.ts";
import type { RankedState } from "./tokenRanking.ts";
import { tokenState } from "./tokenState.ts";
import type { StoredTransfer } from "./transferBody.ts";
import { ZERO_ADDRESS_ID } from "./transferIds.ts";
import { storedWrappers } from "./wrapAudit.ts";
import { stateOf } from "./wrapper.ts";

interface Sums {
  readonly kinds: Set<TokenKind>;
  holders: number;
  debtors: number;
  supply: bigint;
  mints: boolean;
  /** The sum of the keys of the rows that rank its holders: in whatever order they come, it is the same. */
  ranks: number;
}

const FIELDS = ["kinds", "holders", "debtors", "supply", "mints", "hasItems"] as const;
const AT_ONCE = 10_000;

/** What an audit adds up for each token, to compare it with what is stored. */
export class TokenSums {
  readonly #sums = new Map<number, Sums>();

  get size(): number {
    return this.#sums.size;
  }

  get(token: number): Pick<Sums, "kinds" | "mints"> | undefined {
    return this.#sums.get(token);
  }

  add({ token, kind, from, to, amount }: StoredTransfer, isWrap: boolean): void {
    const sums = this.#of(token);
    sums.kinds.add(kind);
    if (kind === "ERC-20" && !isWrap && from === ZERO_ADDRESS_ID && !isZero(amount)) sums.mints = true;
    if (from === ZERO_ADDRESS_ID) sums.supply += uintToBigInt(amount);
    if (to === ZERO_ADDRESS_ID) sums.supply -= uintToBigInt(amount);
  }

  /** Adds what was deposited before the first transfers of tokens that it was carried over to. */
  async carry(engine: Engine): Promise<void> {
    for await (const [token, wrapper] of storedWrappers(engine)) {
      if (wrapper.phase === "carried") this.#of(token).supply += stateOf(wrapper).supply;
    }
  }

  /** Counts what an address has of a token in the end. */
  hold(hash: KeyedHash, token: number, address: number, amount: bigint): void {
    const sums = this.#of(token);
    if (amount < 0n) sums.debtors++;
    if (amount <= 0n) return;
    sums.holders++;
    sums.ranks = addKeys(sums.ranks, rankKey(hash, token, writeSigned(amount), address));
  }

  async compareTokens(engine: Engine, report: AuditReport): Promise<void> {
    const left = new Set(this.#sums.keys());
    const sql = "SELECT id, value FROM token WHERE id > ? ORDER BY id LIMIT ?";
    for (let after = -1; ; ) {
      const rows = (await engine.all(sql, after, AT_ONCE)) as [number, Bytes][];
      for (const [id, value] of rows) {
        report.expect(left.delete(id), `no transfer tells of token ${id}`);
        const wrong = differences(this.#of(id), value);
        report.expect(wrong === undefined, `token ${id} has wrong ${wrong}`);
        after = id;
      }
      if (rows.length < AT_ONCE) break;
    }
    for (const id of left) report.expect(false, `there is no row of token ${id}`);
  }

  async compareRanks({ engine, hash }: Store, report: AuditReport): Promise<void> {
    const found = new Map<number, number>();
    const sql =
      "SELECT token, amount, address FROM holder WHERE (token, amount, address) > (?, ?, ?) ORDER BY 1, 2, 3 LIMIT ?";
    for (let after: Value[] = [-1, new Uint8Array(0), -1]; ; ) {
      const rows = (await engine.all(sql, ...after, AT_ONCE)) as [number, Bytes, number][];
      for (const [token, amount, address] of rows) {
        found.set(token, addKeys(found.get(token) ?? 0, rankKey(hash, token, amount, address)));
      }
      if (rows.length < AT_ONCE) break;
      after = rows.at(-1)!;
    }
    for (const token of new Set([...found.keys(), ...this.#sums.keys()])) {
      const isRanked = (found.get(token) ?? 0) === (this.#sums.get(token)?.ranks ?? 0);
      report.expect(isRanked, `the holders of token ${token} are not ranked by what they have`);
    }
  }

  /** Every token with what ranks it among the others. */
  ranked(): Map<number, RankedState> {
    const states = [...this.#sums].map(([token, sums]): [number, RankedState] => {
      return [token, { kinds: [...sums.kinds], hasItems: hasItems(sums), holders: sums.holders }];
    });
    return new Map(states);
  }

  #of(token: number): Sums {
    const sums = this.#sums.get(token) ?? {
      ...{ kinds: new Set(), holders: 0, debtors: 0, supply: 0n, ranks: 0 },
      mints: false,
    };
    this.#sums.set(token, sums);
    return sums;
  }
}

/** Kinds are in the order in which they came. */
function hasItems({ kinds: [first] }: { readonly kinds: Iterable<TokenKind> }): boolean {
  return first === "ERC-1155";
}

function differences(sums: Sums, value: Bytes): string | undefined {
  const expected = { ...sums, kinds: [...sums.kinds], hasItems: hasItems(sums) };
  if (equalBytes(tokenState.write(expected), value)) return undefined;
  const stored = tokenState.read(value);
  const wrong = FIELDS.filter(
    (field) => String([stored[field]].flat().sort()) !== String([expected[field]].flat().sort()),
  );
  return wrong.join(" and ") || "bytes";
}

const KEYS = 2 ** 52;

const addKeys = (a: number, b: number): number => (a + b) % KEYS;

function rankKey(hash: KeyedHash, token: number, amount: Bytes, address: number): number {
  const words = new Int32Array(3 + Math.ceil(amount.length / 4));
  words.set([token, address, amount.length]);
  new Uint8Array(words.buffer).set(amount, 12);
  return hash.keyOfWords(words, 0, words.length);
}
