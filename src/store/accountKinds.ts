import type { Bytes } from "../chain/bytes.ts";
import { toHex } from "../chain/hex.ts";
import type { Engine, Row } from "./engine/engine.ts";
import type { KeyedHash } from "./keyedHash.ts";
import { recallAll } from "./recall.ts";

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
  const byText = new Map(addresses.map((address) => [toHex(address) as string, address]));
  return recallAll(engine, "kind", byText.keys(), async (missing) => {
    const wanted = new Set(missing);
    const rows = await engine.load(
      SQL,
      missing.map((text) => hash.key(byText.get(text)!)),
    );
    return rows.map(readKind).filter(([address]) => wanted.has(address));
  });
}

function readKind([value, isContract, hasSent, name, isToken]: Row): [string, AccountKind] {
  const kind = {
    isContract: isContract === 1 || (hasSent === 1 ? false : null),
    name: name as string | null,
    isToken: isToken === 1,
  };
  return [`0x${value as string}`, kind];
}
