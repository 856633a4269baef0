import type { Log } from "../block/receipt.ts";
import type { AddressBytes, Bytes } from "../encoding/bytes.ts";
import type { CreatedPool, SolidlyGeneration } from "./exchangeFields.ts";
import { addressAt, isAddress, uintAt } from "./exchangeFields.ts";

export function readSolidlyPair({ address, topics, data }: Log): CreatedPool | undefined {
  if (!isAddress(topics, 1) || !isAddress(topics, 2) || !isAddress(data, 1)) return undefined;
  const tokens = [addressAt(topics, 1), addressAt(topics, 2)] as const;
  return created(address, addressAt(data, 1), tokens, { isStable: flagAt(data, 0), generation: 1 });
}

export function readSolidlyPool({ address, topics, data }: Log): CreatedPool | undefined {
  if (!isAddress(topics, 1) || !isAddress(topics, 2) || !isAddress(data, 0)) return undefined;
  const tokens = [addressAt(topics, 1), addressAt(topics, 2)] as const;
  return created(address, addressAt(data, 0), tokens, { isStable: flagAt(topics, 3), generation: 2 });
}

interface SolidlyForm {
  /** Undefined if the log says neither. */
  readonly isStable: boolean | undefined;
  readonly generation: SolidlyGeneration;
}

function created(
  factory: AddressBytes,
  pool: AddressBytes,
  [token0, token1]: readonly [AddressBytes, AddressBytes],
  { isStable, generation }: SolidlyForm,
): CreatedPool | undefined {
  if (isStable === undefined) return undefined;
  const none = { fee: undefined, tickSpacing: undefined, hooks: undefined };
  return { type: isStable ? "stable" : "volatile", factory, pool, token0, token1, ...none, generation };
}

function flagAt(words: Bytes, word: number): boolean | undefined {
  const value = uintAt(words, word);
  return value > 1n ? undefined : value === 1n;
}
