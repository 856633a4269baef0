import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import { equalBytes } from "../../../../chain/encoding/bytes.ts";
import { uintToBigInt } from "../../../../chain/encoding/uint.ts";
import type { TokenKind } from "../../../../chain/token/tokenTransfer.ts";
import type { AuditReport } from "../../../audit/auditReport.ts";
import type { IdRange } from "../../../audit/idRange.ts";
import { has, rowBounds } from "../../../audit/idRange.ts";
import type { KeyedHash } from "../../../dictionary/keyedHash.ts";
import type { Reader } from "../../../engine/database.ts";
import { keysetPages } from "../../../engine/keysetPages.ts";
import type { CoreReads } from "../../../read/coreReads.ts";
import type { AddressId } from "../../../rows/ids.ts";
import { writeSigned } from "../../../rows/signedAmount.ts";
import { stateOf } from "../tables/depositLedger.ts";
import { isErc20Mint } from "../tables/minting.ts";
import type { RankedState } from "../tables/tokenRanking.ts";
import { tokenState } from "../tables/tokenState.ts";
import type { StoredTransfer } from "../tables/transferBody.ts";
import { KINDS } from "../tables/transferBody.ts";
import { ZERO_ADDRESS_ID } from "../tables/transferIds.ts";
import { storedDepositLedgers } from "./wrapAudit.ts";

interface Sums {
  kinds: readonly TokenKind[];
  holders: number;
  debtors: number;
  supply: bigint;
  mints: boolean;
  hasItems: boolean;
  /** Order-independent checksum of holder rows. */
  ranks: number;
}

const FIELDS = ["kinds", "holders", "debtors", "supply", "mints", "hasItems"] as const;
const BATCH_SIZE = 10_000;
/** Sorts after every amount. */
const MAX_AMOUNT = new Uint8Array(64).fill(0xff);

/** Expected sums per token of a range. */
export class TokenSums {
  readonly #range: IdRange;
  readonly #sums = new Map<number, Sums>();

  constructor(range: IdRange) {
    this.#range = range;
  }

  get size(): number {
    return this.#sums.size;
  }

  add(transfer: StoredTransfer): void {
    const { token, kind, from, to, amount } = transfer;
    if (!has(this.#range, token)) return;
    const sums = this.#of(token);
    if (sums.kinds.length === 0) sums.hasItems = kind === "ERC-1155";
    if (!sums.kinds.includes(kind)) sums.kinds = KINDS.filter((one) => one === kind || sums.kinds.includes(one));
    if (isErc20Mint(transfer, from === ZERO_ADDRESS_ID)) sums.mints = true;
    if (from === ZERO_ADDRESS_ID) sums.supply += uintToBigInt(amount);
    if (to === ZERO_ADDRESS_ID) sums.supply -= uintToBigInt(amount);
  }

  /** Adds deposits carried over before a token's first transfer. */
  async addCarriedDeposits(db: Reader): Promise<void> {
    for await (const [token, wrapper] of storedDepositLedgers(db)) {
      if (wrapper.phase === "carried" && has(this.#range, token)) this.#of(token).supply += stateOf(wrapper).supply;
    }
  }

  /** Counts a final balance. */
  hold(hash: KeyedHash, token: AddressId, address: AddressId, amount: bigint): void {
    if (!has(this.#range, token)) return;
    const sums = this.#of(token);
    if (amount < 0n) sums.debtors++;
    if (amount <= 0n) return;
    sums.holders++;
    sums.ranks = addKeys(sums.ranks, rankKey(hash, token, writeSigned(amount), address));
  }

  async compareTokens(db: Reader, report: AuditReport): Promise<void> {
    const left = new Set(this.#sums.keys());
    const sql = "SELECT id, value FROM token WHERE id >= ? AND id <= ? ORDER BY id LIMIT ?";
    const [min, max] = rowBounds(this.#range);
    for (let from = min; ; ) {
      const rows = await db.all<[number, Bytes]>(sql, from, max, BATCH_SIZE);
      for (const [id, value] of rows) {
        report.expect(left.delete(id), `no transfer tells of token ${id}`);
        const wrong = differences(this.#sums.get(id) ?? nothing(), value, report);
        report.expect(wrong === undefined, `token ${id} has wrong ${wrong}`);
        from = id + 1;
      }
      if (rows.length < BATCH_SIZE) break;
    }
    for (const id of left) report.expect(false, `there is no row of token ${id}`);
  }

  async compareRanks({ db, addressHasher: hash }: CoreReads, report: AuditReport): Promise<void> {
    const found = new Map<number, number>();
    const sql =
      "SELECT token, amount, address FROM holder WHERE (token, amount, address) > (?, ?, ?) AND token <= ? ORDER BY 1, 2, 3 LIMIT ?";
    const [min, max] = rowBounds(this.#range);
    const pages = keysetPages<[number, Bytes, number]>(BATCH_SIZE, (last = [min - 1, MAX_AMOUNT, 0], count) =>
      db.all(sql, ...last, max, count),
    );
    for await (const rows of pages)
      for (const [token, amount, address] of rows)
        found.set(token, addKeys(found.get(token) ?? 0, rankKey(hash, token, amount, address)));
    for (const token of new Set([...found.keys(), ...this.#sums.keys()])) {
      const isRanked = (found.get(token) ?? 0) === (this.#sums.get(token)?.ranks ?? 0);
      report.expect(isRanked, `the holders of token ${token} are not ranked by what they have`);
    }
  }

  /** With their rank keys. */
  ranked(): ReadonlyMap<number, RankedState> {
    return new Map([...this.#sums].filter(([, { kinds }]) => kinds.length > 0));
  }

  #of(token: AddressId): Sums {
    const sums = this.#sums.get(token) ?? nothing();
    this.#sums.set(token, sums);
    return sums;
  }
}

const nothing = (): Sums => ({
  ...{ kinds: [], holders: 0, debtors: 0, supply: 0n, ranks: 0 },
  ...{ mints: false, hasItems: false },
});

function differences(expected: Sums, value: Bytes, report: AuditReport): string | undefined {
  if (equalBytes(tokenState.write(expected), value)) return undefined;
  const stored = report.try(() => tokenState.read(value));
  const wrong = stored && FIELDS.filter((field) => String(stored[field]) !== String(expected[field]));
  return wrong?.join(" and ") || "bytes";
}

const KEYS = 2 ** 52;

const addKeys = (a: number, b: number): number => (a + b) % KEYS;

function rankKey(hash: KeyedHash, token: AddressId, amount: Bytes, address: AddressId): number {
  const words = new Int32Array(3 + Math.ceil(amount.length / 4));
  words.set([token, address, amount.length]);
  new Uint8Array(words.buffer).set(amount, 12);
  return hash.keyOfWords(words, 0, words.length);
}
