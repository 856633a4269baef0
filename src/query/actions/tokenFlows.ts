import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import type { TokenTransfer } from "../../chain/token/tokenTransfer.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";

/** A transfer of a known token. */
export interface MovedToken {
  readonly token: KnownToken;
  readonly tokenHex: Hex;
  readonly from: Bytes;
  readonly fromHex: Hex;
  readonly to: Bytes;
  readonly toHex: Hex;
  readonly kind: TokenTransfer["kind"];
  readonly amount: bigint;
  readonly id: bigint | undefined;
  /** A Deposit or Withdrawal of a wrapped coin. */
  readonly isWrap: boolean;
}

export function movedToken(transfer: TokenTransfer, token: KnownToken): MovedToken {
  return {
    token,
    tokenHex: toHex(transfer.token),
    from: transfer.from,
    fromHex: toHex(transfer.from),
    to: transfer.to,
    toHex: toHex(transfer.to),
    kind: transfer.kind,
    amount: uintToBigInt(transfer.amount),
    id: transfer.tokenId && uintToBigInt(transfer.tokenId),
    isWrap: transfer.isWrap === true,
  };
}

/**
 * Amounts a pool received and paid by the logs of the tokens. A pool may claim anything in its own events, so a
 * claim counts only as far as the tokens confirm it, and each amount confirms one claim.
 */
export class TokenFlows {
  readonly #left = new Map<string, bigint>();

  constructor(transfers: readonly MovedToken[]) {
    for (const { kind, tokenHex, fromHex, toHex: to, amount } of transfers) {
      if (kind !== "ERC-20") continue;
      this.#add(`${tokenHex} in ${to}`, amount);
      this.#add(`${tokenHex} out ${fromHex}`, amount);
    }
  }

  #add(key: string, amount: bigint): void {
    this.#left.set(key, (this.#left.get(key) ?? 0n) + amount);
  }

  /** Whether the tokens confirm all amounts; then these are used up. Positive amounts are into the pool. */
  confirm(pool: Hex, amounts: readonly (readonly [token: Hex, amount: bigint])[]): boolean {
    if (amounts.some(([token, amount]) => this.#confirmed(pool, token, amount) !== amount)) return false;
    for (const [token, amount] of amounts) this.take(pool, token, amount);
    return true;
  }

  /** Uses up the part of an amount that the token confirms. */
  take(pool: Hex, token: Hex, amount: bigint): bigint {
    const taken = this.#confirmed(pool, token, amount);
    this.#add(flowKey(pool, token, amount), taken > 0n ? -taken : taken);
    return taken;
  }

  #confirmed(pool: Hex, token: Hex, amount: bigint): bigint {
    const left = this.#left.get(flowKey(pool, token, amount)) ?? 0n;
    if (amount > 0n) return amount < left ? amount : left;
    return -amount < left ? amount : -left;
  }
}

const flowKey = (pool: Hex, token: Hex, amount: bigint) => `${token} ${amount > 0n ? "in" : "out"} ${pool}`;

export interface NetMove {
  readonly token: KnownToken;
  readonly amount: bigint;
  /** Undefined if it was several accounts. */
  readonly from: Bytes | undefined;
  readonly to: Bytes | undefined;
}

/**
 * Transfers between accounts, without what pools took and paid: of each token the net gains of accounts where other
 * accounts lost. Routers that pass tokens on have no net change.
 */
export function transfersOutside(transfers: readonly MovedToken[], isPool: (hex: Hex) => boolean): NetMove[] {
  const tokens = Map.groupBy(transfers, ({ tokenHex }) => tokenHex);
  return [...tokens.values()].flatMap((moves) => {
    const nets = netsOf(moves).filter(({ hex }) => !isPool(hex));
    const [givers, takers] = [nets.filter(({ net }) => net < 0n), nets.filter(({ net }) => net > 0n)];
    const [lost, gained] = [-sumOf(givers), sumOf(takers)];
    if (lost === 0n || gained === 0n) return [];
    const { token } = moves[0]!;
    const from = onlyOne(givers);
    // Pools paid some of the gains, and which of them cannot be told: what accounts lost is what they moved.
    if (gained > lost) return [{ token, amount: lost, from, to: onlyOne(takers) }];
    return takers.map(({ account, net }) => ({ token, amount: net, from, to: account }));
  });
}

interface Net {
  readonly hex: Hex;
  readonly account: Bytes;
  net: bigint;
}

function netsOf(moves: readonly MovedToken[]): Net[] {
  const nets = new Map<Hex, Net>();
  const add = (hex: Hex, account: Bytes, amount: bigint) => {
    const known = nets.get(hex);
    if (known === undefined) nets.set(hex, { hex, account, net: amount });
    else known.net += amount;
  };
  for (const { from, fromHex, to, toHex: toKey, amount } of moves) {
    add(fromHex, from, -amount);
    add(toKey, to, amount);
  }
  return [...nets.values()];
}

const sumOf = (nets: readonly Net[]) => nets.reduce((sum, { net }) => sum + net, 0n);
const onlyOne = (nets: readonly Net[]) => (nets.length === 1 ? nets[0]!.account : undefined);
