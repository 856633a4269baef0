import type { Stage } from "../stage.ts";
import type { NativeEvents } from "./nativeAppend.ts";
import { NativeAppender } from "./nativeAppend.ts";
import { auditBalances } from "./nativeAudit.ts";
import { clearBalances } from "./nativeTargets.ts";
import type { NativeTip } from "./nativeTip.ts";
import { readNativeTip } from "./nativeTip.ts";
import { unwindBalances } from "./nativeWrite.ts";

/** What accounts have of the chain's coin after each block, as the node says it. It can be asked for again, and is in no fingerprint. */
export const NATIVE_BALANCES: Stage<NativeEvents, NativeTip> = {
  name: "native_balances",
  version: 1,
  journals: [],
  tip: readNativeTip,
  weigh: ({ balances }) => balances.length,
  open: (engine) => ({
    append: (tip, { journalFrom }) => new NativeAppender(engine, tip, journalFrom),
    unwind: ({ number }) => unwindBalances(engine, number),
    clear: () => {},
  }),
  clear: clearBalances,
  audit: (session) => auditBalances(session),
  verify: async () => {},
  async summary(connection) {
    const tip = await readNativeTip(connection);
    return tip && `${tip.accounts} balances of the chain's coin at block ${tip.number}`;
  },
  size: async (connection) => (await readNativeTip(connection))?.accounts ?? 0,
  async *fingerprint() {},
};
