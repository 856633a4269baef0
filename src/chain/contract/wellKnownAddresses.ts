import type { Bytes } from "../encoding/bytes.ts";
import type { Hex } from "../encoding/hex.ts";
import { toHex } from "../encoding/hex.ts";

export interface WellKnownAddress {
  readonly name: string;
  readonly kind: "precompile" | "system" | "deployment" | "unowned";
}

const PRECOMPILES: readonly string[] = [
  "ecrecover",
  "SHA-256",
  "RIPEMD-160",
  "identity",
  "modexp",
  "BN254 add",
  "BN254 multiply",
  "BN254 pairing",
  "BLAKE2 F",
  "KZG point evaluation",
  "BLS12-381 G1 add",
  "BLS12-381 G1 MSM",
  "BLS12-381 G2 add",
  "BLS12-381 G2 MSM",
  "BLS12-381 pairing",
  "BLS12-381 map to G1",
  "BLS12-381 map to G2",
];

const precompile = (at: number) => `0x${at.toString(16).padStart(40, "0")}` as Hex;

/** Addresses that the protocol reserves, or that follow from the code: nobody can place other code there. */
const WELL_KNOWN: ReadonlyMap<Hex, WellKnownAddress> = new Map([
  ...PRECOMPILES.map((name, at) => [precompile(at + 1), { name: `Precompile ${name}`, kind: "precompile" }] as const),
  [precompile(0x100), { name: "Precompile P256 verify", kind: "precompile" }],
  ["0x000f3df6d732807ef1319fb7b8bb8522d0beac02", { name: "Beacon roots", kind: "system" }],
  ["0x0000f90827f1c53a10cb7a02335b175320002935", { name: "Block hash history", kind: "system" }],
  ["0x00000961ef480eb55e80d19ad83579a64c007002", { name: "Withdrawal requests", kind: "system" }],
  ["0x0000bbddc7ce488642fb579f8b00f3a590007251", { name: "Consolidation requests", kind: "system" }],
  ["0x4e59b44847b379578588920ca78fbf26c0b4956c", { name: "CREATE2 deployer", kind: "deployment" }],
  ["0xca11bde05977b3631167028862be2a173976ca11", { name: "Multicall3", kind: "deployment" }],
  ["0x000000000022d473030f116ddee9f6b43ac78ba3", { name: "Permit2", kind: "deployment" }],
  ["0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789", { name: "EntryPoint 0.6", kind: "deployment" }],
  ["0x0000000071727de22e5e9d8baf0edac6f37da032", { name: "EntryPoint 0.7", kind: "deployment" }],
  ["0x0000000000000000000000000000000000000000", { name: "Zero address", kind: "unowned" }],
  ["0x000000000000000000000000000000000000dead", { name: "Burn address", kind: "unowned" }],
]);

export const wellKnownAt = (address: Hex): WellKnownAddress | undefined => WELL_KNOWN.get(address);

export const wellKnownAddress = (address: Bytes): WellKnownAddress | undefined => wellKnownAt(toHex(address));

export const allWellKnown = (): IterableIterator<[Hex, WellKnownAddress]> => WELL_KNOWN.entries();
