import type { Wire } from "../../chain/encoding/wire.ts";
import { archiveMethods, blobMethods } from "./blobs/blobMethods.ts";
import { blockMethods } from "./blocks/blockMethods.ts";
import { buildMethods } from "./blocks/buildMethods.ts";
import { rawMethods } from "./blocks/rawMethods.ts";
import { callMethods, traceMethods } from "./calls/callMethods.ts";
import { otterscanMethods } from "./calls/otterscanMethods.ts";
import { parityMethods } from "./calls/parityMethods.ts";
import { dumpMethods } from "./development/dump/dumpMethods.ts";
import { identityMethods } from "./development/identityMethods.ts";
import { miningMethods } from "./development/miningMethods.ts";
import { reorgMethods } from "./development/reorgMethods.ts";
import { senderMethods } from "./development/senderMethods.ts";
import { stateMethods as developmentStateMethods } from "./development/stateMethods.ts";
import { timeMethods } from "./development/timeMethods.ts";
import { tokenMethods } from "./development/tokenMethods.ts";
import { toolMethods } from "./development/toolMethods.ts";
import { feeMethods } from "./fees/feeMethods.ts";
import { logMethods } from "./logs/logMethods.ts";
import type { DevelopmentMethods } from "./methods.ts";
import { poolMethods } from "./pool/poolMethods.ts";
import { chainMethods } from "./protocol/chainMethods.ts";
import { configMethods } from "./protocol/configMethods.ts";
import { stateMethods } from "./state/stateMethods.ts";
import { accountMethods, sendMethods } from "./transactions/sendMethods.ts";
import { transactionMethods } from "./transactions/transactionMethods.ts";

/** Available to everyone. */
export const PUBLIC_METHODS: DevelopmentMethods = {
  ...chainMethods,
  ...configMethods,
  ...feeMethods,
  ...blockMethods,
  ...transactionMethods,
  ...stateMethods,
  ...logMethods,
  ...blobMethods,
  ...callMethods,
  ...sendMethods,
  rpc_modules: () => modulesOf(PUBLIC_METHODS),
};

/** Available to trusted callers: these change the chain, sign, or are expensive. */
export const TRUSTED_METHODS: DevelopmentMethods = {
  ...rawMethods,
  ...traceMethods,
  ...parityMethods,
  ...otterscanMethods,
  ...poolMethods,
  ...buildMethods,
  ...archiveMethods,
  ...accountMethods,
  ...miningMethods,
  ...timeMethods,
  ...senderMethods,
  ...toolMethods,
  ...identityMethods,
  ...developmentStateMethods,
  ...tokenMethods,
  ...dumpMethods,
  ...reorgMethods,
  rpc_modules: () => modulesOf(PUBLIC_METHODS, TRUSTED_METHODS),
};

type Method = DevelopmentMethods[string];

/** Namespace versions as in geth. */
function modulesOf(...registries: readonly DevelopmentMethods[]): Wire {
  const names = registries.flatMap(Object.keys).map((name) => name.slice(0, name.indexOf("_")));
  return Object.fromEntries([...new Set(names)].sort().map((name) => [name, "1.0"]));
}

/** Whether a method exists but is restricted. */
export function isForTrusted(name: string): boolean {
  return Object.hasOwn(TRUSTED_METHODS, name);
}

/** Undefined if unknown or restricted. */
export function methodNamed(name: string, isTrusted: boolean): Method | undefined {
  if (isTrusted && Object.hasOwn(TRUSTED_METHODS, name)) return TRUSTED_METHODS[name];
  return Object.hasOwn(PUBLIC_METHODS, name) ? PUBLIC_METHODS[name] : undefined;
}
