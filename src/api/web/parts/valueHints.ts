import type { EventValue } from "../../../chain/abi/event.ts";
import type { Parameter } from "../../../chain/abi/signature.ts";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { fromHex } from "../../../chain/encoding/hex.ts";
import { findParties } from "../../../query/findParties.ts";
import { findCopies } from "../../../query/tokens/copies.ts";
import type { WebContext } from "../context.ts";
import type { Hint } from "./inputHints.ts";
import { addressesIn, hintsFor } from "./inputHints.ts";

export interface ValuesOf {
  /** The contract that was called, or that logged them. */
  readonly contract: Bytes;
  readonly values: readonly { readonly parameters: readonly Parameter[]; readonly values: readonly EventValue[] }[];
}

interface HintOptions {
  readonly coin: string;
  readonly sender?: Bytes;
}

/** Hints for the values of logs or calls, by the contract. */
export async function valueHints(
  network: WebContext["network"],
  all: readonly ValuesOf[],
  { coin, sender }: HintOptions,
): Promise<(contract: Bytes) => Hint> {
  const { names } = network;
  const contracts = all.flatMap(({ contract }) => [contract, ...(names.poolAt(contract)?.tokens ?? []).map(fromHex)]);
  const inValues = all.flatMap(({ values }) =>
    values.flatMap(({ parameters, values: own }) => addressesIn(parameters, own)),
  );
  const parties = await findParties(network, [...contracts, ...inValues]);
  const copies = await findCopies(network, [...parties.tokens.values()]);
  const context = { ...parties, names, sender, coin, copies, calls: NO_CALLS };
  return (contract) => hintsFor({ ...context, to: contract, pair: names.poolAt(contract)?.tokens });
}

const NO_CALLS = new Map<EventValue, never>();
