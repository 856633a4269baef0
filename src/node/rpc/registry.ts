import { miningMethods } from "./development/miningMethods.ts";
import { stateMethods } from "./development/stateMethods.ts";
import type { DevelopmentMethods } from "./methods.ts";
import { accountMethods, sendMethods } from "./sendMethods.ts";

/** For everybody. */
export const PUBLIC_METHODS: DevelopmentMethods = { ...sendMethods };

/** For whoever the node belongs to: they change the chain at will, sign, or cost much. */
export const TRUSTED_METHODS: DevelopmentMethods = { ...accountMethods, ...miningMethods, ...stateMethods };

type Method = DevelopmentMethods[string];

/** The method of a name, if there is one and the asker may use it. */
export function methodNamed(name: string, isTrusted: boolean): Method | undefined {
  if (Object.hasOwn(PUBLIC_METHODS, name)) return PUBLIC_METHODS[name];
  return isTrusted && Object.hasOwn(TRUSTED_METHODS, name) ? TRUSTED_METHODS[name] : undefined;
}
