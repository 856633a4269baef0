import type { Bytes } from "../../chain/encoding/bytes.ts";

/** What the chain has told us of an address. */
export interface AddressInfo {
  /** Null where it was not deployed, and neither emitted nor sent anything. */
  readonly isContract: boolean | null;
  /** Whether calls of it run code: its own, or that of others to which it delegates. Null as above. */
  readonly runsCode: boolean | null;
  /** The name of the contract in its verified source; else what it calls itself, if it is a token. */
  readonly name: string | null;
  /** Whether it emitted transfers, as far as the tokens stage is. */
  readonly isToken: boolean;
  /** Whether its source was verified. */
  readonly isVerified: boolean;
}

/** Adds to an address what others than the chain know of it. */
export interface AddressDescriber {
  describe(address: Bytes, info: AddressInfo): AddressInfo;
}

const [NEITHER, SENDER, DELEGATING, CONTRACT, TOKEN] = [0, 1, 2, 3, 4];

/**
 * Addresses by their ids, with what `readAddressInfo` reads in the last two columns. What was deployed is a contract. What sends
 * transactions is none (EIP-3607), and where it emits logs it delegates to one (EIP-7702). Who else emits logs is a contract. On a
 * development chain a contract that another one made is mistaken for an account once somebody impersonates it and sends. Only
 * what emits logs can be a token, and only a token has a name: the others cost no look there.
 */
export const selectAddressInfo = (...columns: string[]): string => `SELECT ${columns.join(", ")},
    CASE
      WHEN t.id IS NOT NULL THEN ${TOKEN}
      WHEN EXISTS (SELECT 1 FROM contract c WHERE c.address = a.id) THEN ${CONTRACT}
      WHEN EXISTS (SELECT 1 FROM account s WHERE s.id = a.id) THEN CASE WHEN l.owner IS NULL THEN ${SENDER} ELSE ${DELEGATING} END
      WHEN l.owner IS NOT NULL THEN ${CONTRACT}
      ELSE ${NEITHER}
    END,
    o.name
  FROM address a
    LEFT JOIN address_log_tail l ON l.owner = a.id
    LEFT JOIN token t ON t.id = l.owner
    LEFT JOIN token_observation o ON o.token = t.id
  WHERE a.id IN ($keys)`;

export type InfoColumns = [kind: number, name: string | null];

export function readAddressInfo([kind, name]: InfoColumns): AddressInfo {
  const isKnown = kind !== NEITHER;
  return {
    isContract: isKnown ? kind >= CONTRACT : null,
    runsCode: isKnown ? kind !== SENDER : null,
    name,
    isToken: kind === TOKEN,
    isVerified: false,
  };
}
