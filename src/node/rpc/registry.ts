import { blobMethods } from "./blobs/blobMethods.ts";
import { blockMethods } from "./blocks/blockMethods.ts";
import { buildMethods } from "./blocks/buildMethods.ts";
import { rawMethods } from "./blocks/rawMethods.ts";
import { callMethods, traceMethods } from "./calls/callMethods.ts";
import { miningMethods } from "./development/miningMethods.ts";
import { senderMethods } from "./development/senderMethods.ts";
import { stateMethods as developmentStateMethods } from "./development/stateMethods.ts";
import { timeMethods } from "./development/timeMethods.ts";
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

/** For everybody. */
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
};

/** For whoever the node belongs to: they change the chain at will, sign, or cost much. */
export const TRUSTED_METHODS: DevelopmentMethods = {
  ...rawMethods,
  ...traceMethods,
  ...poolMethods,
  ...buildMethods,
  ...accountMethods,
  ...miningMethods,
  ...timeMethods,
  ...senderMethods,
  ...toolMethods,
  ...developmentStateMethods,
};

type Method = DevelopmentMethods[string];

/** The method of a name, if there is one and the asker may use it. */
export function methodNamed(name: string, isTrusted: boolean): Method | undefined {
  if (isTrusted && Object.hasOwn(TRUSTED_METHODS, name)) return TRUSTED_METHODS[name];
  return Object.hasOwn(PUBLIC_METHODS, name) ? PUBLIC_METHODS[name] : undefined;
}
