import { callMethods, traceMethods } from "../call/methods.ts";
import { blobMethods } from "./blobMethods.ts";
import { blockMethods } from "./blockMethods.ts";
import { buildMethods } from "./buildMethods.ts";
import { chainMethods } from "./chainMethods.ts";
import { configMethods } from "./configMethods.ts";
import { miningMethods } from "./development/miningMethods.ts";
import { senderMethods } from "./development/senderMethods.ts";
import { stateMethods as developmentStateMethods } from "./development/stateMethods.ts";
import { timeMethods } from "./development/timeMethods.ts";
import { toolMethods } from "./development/toolMethods.ts";
import { feeMethods } from "./feeMethods.ts";
import { logMethods } from "./logMethods.ts";
import type { DevelopmentMethods } from "./methods.ts";
import { poolMethods } from "./poolMethods.ts";
import { rawMethods } from "./rawMethods.ts";
import { accountMethods, sendMethods } from "./sendMethods.ts";
import { stateMethods } from "./stateMethods.ts";
import { transactionMethods } from "./transactionMethods.ts";

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
