import type { Bytes } from "../../chain/encoding/bytes.ts";

export interface AddressInfo {
  /** Null if it neither was deployed nor emitted nor sent anything. */
  readonly isContract: boolean | null;
  /** Whether calls execute code, its own or delegated. Null as above. */
  readonly runsCode: boolean | null;
  readonly name: string | null;
  readonly isToken: boolean;
  readonly isVerified: boolean;
  /** The token's own name, if `name` is that of its verified source. */
  readonly tokenName?: string | null;
  /** Name from outside the index. */
  readonly label?: AddressLabel;
}

export interface AddressLabel {
  /** A pool's is made of what its tokens call themselves. */
  readonly text: string;
  readonly kind: "label" | "pool" | "factory" | "precompile" | "system" | "deployment" | "unowned";
  /** Whether a symbol in it belongs to another token with more holders. */
  readonly hasCopy?: boolean;
}

export interface AddressDescriber {
  describe(address: Bytes, info: AddressInfo): AddressInfo;
}

const [NEITHER, SENDER, DELEGATING, CONTRACT, TOKEN] = [0, 1, 2, 3, 4];

/**
 * Selects address infos by id; `readAddressInfo` reads the last two columns. Deployed addresses are contracts. Senders
 * are not (EIP-3607); if they emit logs they delegate (EIP-7702). Other emitters are contracts. On a development chain,
 * a contract created by another counts as an account once it is impersonated. Only emitters can be tokens and have
 * names, so others need no lookup there.
 */
export const selectAddressInfo = (...columns: string[]): string => `SELECT ${columns.join(", ")},
    CASE
      WHEN t.id IS NOT NULL THEN ${TOKEN}
      WHEN EXISTS (SELECT 1 FROM contract c WHERE c.address = a.id) THEN ${CONTRACT}
      WHEN EXISTS (SELECT 1 FROM address_tx_tail s WHERE s.owner = a.id AND length(s.sent) > 0) THEN CASE WHEN l.owner IS NULL THEN ${SENDER} ELSE ${DELEGATING} END
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
