import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { AdvancedRow, AdvancedType } from "./advancedRows.ts";
import { COIN_TYPES } from "./advancedRows.ts";

export interface PartyFilter {
  readonly include: readonly Bytes[] | undefined;
  readonly exclude: readonly Bytes[] | undefined;
}

/** The native coin among token addresses. */
export const NATIVE = "native";

/** By address, symbol or both, which must then agree. */
export interface TokenSet {
  readonly addresses: readonly (Bytes | typeof NATIVE)[] | undefined;
  readonly symbols: readonly string[] | undefined;
}

/** `digits` / 10^`scale`. */
export interface DecimalAmount {
  readonly digits: bigint;
  readonly scale: number;
}

export interface AdvancedFilter {
  readonly types: readonly AdvancedType[] | undefined;
  readonly methods: readonly Bytes[] | undefined;
  readonly fromTime: number | undefined;
  readonly toTime: number | undefined;
  readonly from: PartyFilter;
  readonly to: PartyFilter;
  /** Whether one of both party filters suffices. */
  readonly relation: "or" | "and";
  readonly fromAmount: DecimalAmount | undefined;
  readonly toAmount: DecimalAmount | undefined;
  readonly includedTokens: TokenSet | undefined;
  readonly excludedTokens: TokenSet | undefined;
}

type Test = (row: AdvancedRow) => boolean;

export function rowTest(filter: AdvancedFilter): Test {
  const tests = [
    typeTest(filter),
    methodTest(filter),
    partyTest(filter),
    amountTest(filter.fromAmount, (difference) => difference >= 0n),
    amountTest(filter.toAmount, (difference) => difference <= 0n),
    tokenTest(filter),
  ].filter((test) => test !== undefined);
  return (row) => tests.every((test) => test(row));
}

function typeTest({ types }: AdvancedFilter): Test | undefined {
  return types && ((row) => row.types.some((type) => types.includes(type)));
}

/** Inputs of internal transactions are not stored, so they match no method. */
function methodTest({ methods }: AdvancedFilter): Test | undefined {
  const wanted = methods && new Set(methods.map(toHex));
  return wanted && (({ selector }) => selector !== undefined && wanted.has(toHex(selector)));
}

function partyTest({ from, to, relation }: AdvancedFilter): Test | undefined {
  const tests = [
    sideTest(from, (row) => [row.from]),
    // The created contract counts as recipient.
    sideTest(to, (row) => [row.to, row.created]),
  ].filter((test) => test !== undefined);
  if (tests.length === 0) return undefined;
  return relation === "or" ? (row) => tests.some((test) => test(row)) : (row) => tests.every((test) => test(row));
}

function sideTest(
  { include, exclude }: PartyFilter,
  parties: (row: AdvancedRow) => (Bytes | null)[],
): Test | undefined {
  if (include === undefined && exclude === undefined) return undefined;
  const [wanted, unwanted] = [hexSet(include), hexSet(exclude)];
  return (row) => {
    const own = parties(row).flatMap((party) => (party === null ? [] : [toHex(party)]));
    const isIncluded = wanted === undefined || own.some((party) => wanted.has(party));
    return isIncluded && !own.some((party) => unwanted?.has(party));
  };
}

const hexSet = (addresses: readonly Bytes[] | undefined): ReadonlySet<Hex> | undefined =>
  addresses && new Set(addresses.map(toHex));

function amountTest(bound: DecimalAmount | undefined, holds: (difference: bigint) => boolean): Test | undefined {
  if (bound === undefined) return undefined;
  const scale = 10n ** BigInt(bound.scale);
  return ({ amount, decimals }) => holds(amount * scale - bound.digits * 10n ** BigInt(decimals));
}

function tokenTest({ includedTokens, excludedTokens }: AdvancedFilter): Test | undefined {
  const [included, excluded] = [setTest(includedTokens), setTest(excludedTokens)];
  if (included === undefined && excluded === undefined) return undefined;
  return (row) => (included?.(row) ?? true) && !(excluded?.(row) ?? false);
}

type TokenTest = (row: Pick<AdvancedRow, "token">) => boolean;

function setTest(tokens: TokenSet | undefined): TokenTest | undefined {
  if (tokens === undefined) return undefined;
  const { symbols } = tokens;
  const addresses = tokens.addresses && new Set(tokens.addresses.map((one) => (one === NATIVE ? NATIVE : toHex(one))));
  return ({ token }) => {
    if (token === undefined) return addresses?.has(NATIVE) ?? false;
    const isNamed = symbols === undefined || symbols.includes(token.seen?.symbol.text ?? "");
    return isNamed && (addresses?.has(toHex(token.address)) ?? true);
  };
}

export function wantsCoins({ types, includedTokens, excludedTokens }: AdvancedFilter): boolean {
  const coin = { token: undefined };
  const isOfType = types === undefined || COIN_TYPES.some((type) => types.includes(type));
  return isOfType && (setTest(includedTokens)?.(coin) ?? true) && !(setTest(excludedTokens)?.(coin) ?? false);
}

export function wantsTransfers({ types, includedTokens }: AdvancedFilter): boolean {
  const isOfType = types === undefined || types.some((type) => !COIN_TYPES.some((coin) => coin === type));
  return isOfType && (includedTokens?.addresses?.some((one) => one !== NATIVE) ?? true);
}

/** Addresses of which every match has one as a party; undefined if there is no such set. */
export function neededParties({ from, to, relation }: AdvancedFilter): readonly Bytes[] | undefined {
  const sides = [from, to].filter(({ include, exclude }) => include !== undefined || exclude !== undefined);
  const included = sides.map(({ include }) => include);
  if (relation === "and" || included.length < 2) return included.find((include) => include !== undefined);
  return included.some((include) => include === undefined) ? undefined : included.flatMap((include) => include ?? []);
}
