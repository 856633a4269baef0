import type { Bytes } from "../chain/bytes.ts";
import { toHex } from "../chain/hex.ts";
import type { Engine } from "./engine/engine.ts";
import type { KeyedHash } from "./keyedHash.ts";

/** What the chain has told us of an address. */
export interface AccountKind {
  /** Null where it neither deployed, emitted nor sent anything. */
  readonly isContract: boolean | null;
  /** What it calls itself, if it is a token. */
  readonly name: string | null;
  /** Whether it emitted transfers, as far as the tokens stage is. */
  readonly isToken: boolean;
}

/** By the hex of addresses; those the chain has not told us of are absent. */
export type AccountKinds = ReadonlyMap<string, AccountKind>;

const SQL = `SELECT lower(hex(a.value)),
    EXISTS (SELECT 1 FROM contract c WHERE c.address = a.id) OR EXISTS (SELECT 1 FROM address_log_tail l WHERE l.owner = a.id),
    EXISTS (SELECT 1 FROM account s WHERE s.id = a.id),
    (SELECT o.name FROM token_observation o WHERE o.token = a.id),
    EXISTS (SELECT 1 FROM token t WHERE t.id = a.id)
  FROM address_hash h JOIN address a ON a.id = h.id WHERE h.prefix IN ($keys)`;

/** What was deployed or emits logs is a contract; what sends transactions and does neither is none (EIP-3607). */
export async function accountKinds(
  engine: Engine,
  hash: KeyedHash,
  addresses: readonly Bytes[],
): Promise<AccountKinds> {
  const recalled = engine.recall<string, AccountKind>("kind");
  const kinds = new Map<string, AccountKind>();
  const missing = new Map<string, number>();
  for (const address of addresses) {
    const text = toHex(address);
    const known = recalled.get(text);
    if (known !== undefined) kinds.set(text, known);
    else if (!missing.has(text)) missing.set(text, hash.key(address));
  }
  for (const [value, isContract, hasSent, name, isToken] of await engine.load(SQL, [...missing.values()])) {
    const address = `0x${value as string}`;
    if (!missing.has(address)) continue;
    const kind = {
      isContract: isContract === 1 || (hasSent === 1 ? false : null),
      name: name as string | null,
      isToken: isToken === 1,
    };
    kinds.set(address, kind);
    recalled.set(address, kind);
  }
  return kinds;
}
