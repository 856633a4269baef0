import type { EventValue } from "../../../chain/abi/event.ts";
import type { Parameter } from "../../../chain/abi/signature.ts";
import type { AbiType } from "../../../chain/abi/type.ts";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { equalBytes } from "../../../chain/encoding/bytes.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import type { Parties } from "../../../query/findParties.ts";
import { kindOf } from "../../../query/tokens/token.ts";
import type { KnownToken } from "../../../store/stages/tokens/read/tokenReads.ts";
import type { Html } from "../../html.ts";
import { html } from "../../html.ts";
import { amount, safeText, time } from "./format.ts";
import type { Names } from "./links.ts";
import { addressName, COPY_MARK, markedToken } from "./links.ts";

/** A value among the others of its call or tuple. */
export interface NamedValue {
  readonly name: string;
  readonly type: AbiType;
  readonly value: EventValue;
}

/** Returns the meaning of a value, if known. */
export type Hint = (value: NamedValue, siblings: readonly NamedValue[]) => Html | undefined;

interface HintContext extends Parties {
  readonly names: Names;
  /** Of the transaction, if it is one. */
  readonly sender: Bytes | undefined;
  /** Whose values they are: the contract that was called or logged them. */
  readonly to: Bytes | null;
  /** Of that contract, if it is a pool. */
  readonly pair?: readonly [Hex, Hex] | undefined;
  readonly coin: string;
  readonly copies: ReadonlySet<KnownToken>;
  /** Calls that values hold, by those values. */
  readonly calls: ReadonlyMap<EventValue, Html>;
}

/** Reads amounts in the units of the token they are of, addresses by name, and times as times. */
export function hintsFor(context: HintContext): Hint {
  return ({ name, type, value }, siblings) => {
    const call = context.calls.get(value);
    if (call !== undefined) return call;
    if (type.kind === "address" && value instanceof Uint8Array) return partyHint(value, context);
    if ((type.kind !== "uint" && type.kind !== "int") || typeof value !== "bigint") return undefined;
    if (type.kind === "uint" && type.bits >= 128 && value === 2n ** BigInt(type.bits) - 1n) return html`unlimited`;
    if (TIMES.test(name) && value >= FIRST_TIME && value < LAST_TIME) return time(Number(value));
    return amountHint(name, value, siblings, context);
  };
}

const TIMES = /deadline|expir|timestamp|validuntil|validto|endtime|starttime/i;
const FIRST_TIME = 946_684_800n;
const LAST_TIME = 10_000_000_000n;

function partyHint(address: Bytes, { sender, infos, tokens, names, copies }: HintContext): Html | undefined {
  if (sender !== undefined && equalBytes(address, sender)) return html`the sender`;
  const hex = toHex(address);
  const label = names.of(address);
  const token = tokens.get(hex);
  // The shares of a pair are a token at the same address.
  if (token !== undefined && label?.kind !== "pool") return markedToken(token, { names, copies });
  const { name, hasCopy } = addressName(address, infos.get(hex));
  const text = label?.text ?? name;
  return text ? html`<bdi>${safeText(text)}</bdi>${(label?.hasCopy || hasCopy) && COPY_MARK}` : undefined;
}

function amountHint(
  name: string,
  value: bigint,
  siblings: readonly NamedValue[],
  { tokens, to, coin, pair }: HintContext,
): Html | undefined {
  if (/^amountETH/.test(name)) return amount(value, { decimals: 18, symbol: coin });
  const [, side] = PAIR_AMOUNT.exec(name) ?? [];
  const ofPair = pair && side && tokens.get(pair[Number(side) as 0 | 1]);
  const token = ofPair || tokenOf(name, siblings, to, tokens);
  const { decimals = null, symbol } = token?.seen ?? {};
  if (token === undefined || decimals === null || kindOf(token) !== "ERC-20") return undefined;
  return amount(value, { decimals, symbol: symbol?.text || undefined });
}

/** Names of amounts, and the parameter beside them that names their token. */
const SOURCES: readonly (readonly [amount: RegExp, token: string, at?: 0 | -1])[] = [
  [/^_?amountIn|^_?maxAmountIn/i, "tokenIn"],
  [/^_?amountOut|^_?minAmountOut/i, "tokenOut"],
  [/^_?amountIn|^_?maxAmountIn/i, "path", 0],
  [/^_?amountOut|^_?minAmountOut/i, "path", -1],
  [/^amountA/, "tokenA"],
  [/^amountB/, "tokenB"],
  [/^amount0/, "token0"],
  [/^amount1/, "token1"],
  [/^amountToken/, "token"],
  [/^_?amount$|^_?value$|^wad$/i, "token"],
  [/^_?amount$|^_?value$|^wad$/i, "asset"],
];

/** Parameter names of pools for amounts of one of their tokens. */
const PAIR_AMOUNT = /^_?(?:amount|reserve|balance|paid|fees?)([01])(?:In|Out|Requested|Max|Min)?$/;

const OWN_AMOUNT = /^_?amount$|^_?value$|^wad$|^(added|subtracted)Value$/i;

function tokenOf(
  name: string,
  siblings: readonly NamedValue[],
  to: Bytes | null,
  tokens: ReadonlyMap<Hex, KnownToken>,
): KnownToken | undefined {
  for (const [pattern, source, at] of SOURCES) {
    if (!pattern.test(name)) continue;
    const found = siblings.find((sibling) => sibling.name.replace(/^_/, "") === source)?.value;
    const address = at === undefined ? found : Array.isArray(found) ? found.at(at) : undefined;
    const token = address instanceof Uint8Array ? tokens.get(toHex(address)) : undefined;
    if (token !== undefined) return token;
  }
  return to !== null && OWN_AMOUNT.test(name) ? tokens.get(toHex(to)) : undefined;
}

/** Values that may be calls: bytes of multicalls and of what executes calls for an account. */
export interface HeldCall {
  readonly value: Bytes;
  /** Whom it calls, as the value beside it says. */
  readonly target: Bytes | undefined;
}

const CALLS = /data|call|func|payload/i;
const MAX_CALLS = 20;

export function callsIn(parameters: readonly Parameter[], values: readonly EventValue[]): HeldCall[] {
  const found: HeldCall[] = [];
  const visit = (siblings: readonly NamedValue[]): void => {
    const target = siblings.find(
      ({ name, type }) => type.kind === "address" && /^_?(target|to|dest)$/i.test(name),
    )?.value;
    for (const { name, type, value } of siblings) {
      if (found.length >= MAX_CALLS) return;
      if (type.kind === "bytes" && value instanceof Uint8Array && value.length % 32 === 4 && CALLS.test(name)) {
        found.push({ value, target: target instanceof Uint8Array ? target : undefined });
      }
      if (!Array.isArray(value)) continue;
      const items: readonly EventValue[] = value.slice(0, MAX_CALLS);
      if (type.kind === "array") for (const item of items) visit([{ name, type: type.item, value: item }]);
      if (type.kind === "tuple")
        visit(items.map((item, at) => ({ name: type.names?.[at] ?? "", type: type.items[at]!, value: item })));
    }
  };
  visit(parameters.map(({ name, type }, at) => ({ name, type, value: values[at]! })));
  return found;
}

const MAX_FOUND = 100;

/** Addresses in decoded values, for what is known of them. */
export function addressesIn(parameters: readonly Parameter[], values: readonly EventValue[]): Bytes[] {
  const found: Bytes[] = [];
  const visit = (type: AbiType, value: EventValue): void => {
    if (found.length >= MAX_FOUND) return;
    if (type.kind === "address" && value instanceof Uint8Array) found.push(value);
    if (!Array.isArray(value)) return;
    const items: readonly EventValue[] = value.slice(0, MAX_FOUND);
    for (const [at, item] of items.entries()) {
      const inner = type.kind === "array" ? type.item : type.kind === "tuple" ? type.items[at] : undefined;
      if (inner !== undefined) visit(inner, item);
    }
  };
  for (const [at, { type }] of parameters.entries()) visit(type, values[at]!);
  return found;
}
