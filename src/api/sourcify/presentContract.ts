import type { Bytes } from "../../chain/encoding/bytes.ts";
import { checksumAddress } from "../../chain/encoding/checksum.ts";
import type { ContractSource } from "../../query/contracts/verifiedContract.ts";
import type { VerifiedMatch } from "../../query/contracts/verifiedMatches.ts";
import type { VerifiedContract } from "../../verify/verification.ts";

type Matches = VerifiedContract["matches"];

export interface ContractLocation {
  readonly chainId: number;
  readonly address: Bytes;
}

const MATCHES = { perfect: "exact_match", partial: "match" } as const;

function presentMatches({ runtime, creation }: Matches) {
  const best = runtime === "perfect" || creation === "perfect" ? "perfect" : "partial";
  return {
    match: MATCHES[best],
    creationMatch: creation === undefined ? null : MATCHES[creation],
    runtimeMatch: MATCHES[runtime],
  };
}

const presentPlace = ({ chainId, address }: ContractLocation) => ({
  chainId: String(chainId),
  address: checksumAddress(address),
});

const presentTime = (seconds: number): string => new Date(seconds * 1000).toISOString();

export function presentUnverified(place: ContractLocation) {
  return { match: null, creationMatch: null, runtimeMatch: null, ...presentPlace(place) };
}

export function presentMatch(chainId: number, { id, address, verified, matches }: VerifiedMatch) {
  const place = presentPlace({ chainId, address });
  return { matchId: String(id), ...presentMatches(matches), verifiedAt: presentTime(verified), ...place };
}

/** Optional fields, by name. */
const FIELDS = {
  abi: ({ abi }: VerifiedContract) => abi,
  sources: ({ sources }: VerifiedContract) => contents(sources),
  compilation: ({ language, compiler, settings, name, path }: VerifiedContract) => ({
    language,
    compiler: "solc",
    compilerVersion: compiler,
    compilerSettings: settings,
    name,
    fullyQualifiedName: `${path}:${name}`,
  }),
  userdoc: ({ documentation }: VerifiedContract) => documentation.user,
  devdoc: ({ documentation }: VerifiedContract) => documentation.developer,
  stdJsonInput: ({ language, sources, settings }: VerifiedContract) => ({
    language,
    sources: contents(sources),
    settings,
  }),
} as const;

export type Field = keyof typeof FIELDS;

export const FIELD_NAMES = Object.keys(FIELDS) as readonly Field[];

function contents(sources: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(sources).map(([path, content]) => [path, { content }]));
}

export function presentContract(
  place: ContractLocation,
  { contract, verified }: ContractSource,
  fields: readonly Field[],
) {
  return {
    ...presentMatches(contract.matches),
    verifiedAt: presentTime(verified),
    ...presentPlace(place),
    ...Object.fromEntries(fields.map((field) => [field, FIELDS[field](contract)])),
  };
}
