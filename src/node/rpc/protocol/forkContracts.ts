import type { Hex } from "../../../chain/encoding/hex.ts";
import type { ForkRules } from "../../rules.ts";

type Addresses = Record<string, Hex>;

/** Precompiles with the EIP that added them, by EIP-7910's names. */
const PRECOMPILES: readonly (readonly [name: string, address: number, eip?: number])[] = [
  ["ECREC", 1],
  ["SHA256", 2],
  ["RIPEMD160", 3],
  ["ID", 4],
  ["MODEXP", 5, 198],
  ["BN254_ADD", 6, 196],
  ["BN254_MUL", 7, 196],
  ["BN254_PAIRING", 8, 197],
  ["BLAKE2F", 9, 152],
  ["KZG_POINT_EVALUATION", 0x0a, 4844],
  ["BLS12_G1ADD", 0x0b, 2537],
  ["BLS12_G1MSM", 0x0c, 2537],
  ["BLS12_G2ADD", 0x0d, 2537],
  ["BLS12_G2MSM", 0x0e, 2537],
  ["BLS12_PAIRING_CHECK", 0x0f, 2537],
  ["BLS12_MAP_FP_TO_G1", 0x10, 2537],
  ["BLS12_MAP_FP2_TO_G2", 0x11, 2537],
  ["P256VERIFY", 0x100, 7951],
];

/** Forks of precompiles that the library knows without an EIP. */
const FORKS: ReadonlyMap<number, string> = new Map([
  [198, "byzantium"],
  [196, "byzantium"],
  [197, "byzantium"],
  [152, "istanbul"],
]);

/** In alphabetical order. */
export function precompiles(rules: ForkRules): Addresses {
  const held = PRECOMPILES.filter(([, , eip]) => eip === undefined || holds(rules, eip));
  const entries = held.map(([name, address]): [string, Hex] => [name, `0x${address.toString(16).padStart(40, "0")}`]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function holds(rules: ForkRules, eip: number): boolean {
  const fork = FORKS.get(eip);
  return fork === undefined ? rules.isActivatedEIP(eip) : rules.gteHardfork(fork);
}

/** By EIP-7910's names. */
export function systemContracts(rules: ForkRules, depositContract: Hex): Addresses {
  return {
    ...(rules.isActivatedEIP(4788) && { BEACON_ROOTS_ADDRESS: "0x000f3df6d732807ef1319fb7b8bb8522d0beac02" }),
    ...(rules.isActivatedEIP(7251) && {
      CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS: "0x0000bbddc7ce488642fb579f8b00f3a590007251",
    }),
    ...(rules.isActivatedEIP(6110) && { DEPOSIT_CONTRACT_ADDRESS: depositContract }),
    ...(rules.isActivatedEIP(2935) && { HISTORY_STORAGE_ADDRESS: "0x0000f90827f1c53a10cb7a02335b175320002935" }),
    ...(rules.isActivatedEIP(7002) && {
      WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS: "0x00000961ef480eb55e80d19ad83579a64c007002",
    }),
  };
}
