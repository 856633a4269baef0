import type { Stage } from "../stage.ts";
import type { NativeEvents } from "./nativeAppend.ts";
import { NativeAppender } from "./nativeAppend.ts";
import { auditBalances } from "./nativeAudit.ts";
import { clearBalances } from "./nativeTargets.ts";
import type { NativeTip } from "./nativeTip.ts";
import { readNativeTip } from "./nativeTip.ts";
import { unwindBalances } from "./nativeWrite.ts";

/** Native balances after each block, according to the node. Reproducible, and not part of the fingerprint. */
export const NATIVE_BALANCES: Stage<NativeEvents, NativeTip> = {
  name: "native_balances",
  version: 1,
  journals: [],
  tip: readNativeTip,
  estimateRows: ({ balances }) => balances.length,
  open: () => ({
    append: (tip, { journalFrom }) => new NativeAppender(tip, journalFrom),
    unwind: (writer, { number }) => unwindBalances(writer, number),
    clear: () => {},
  }),
  clear: clearBalances,
  audit: (session) => auditBalances(session),
  verify: async () => {},
  async summary({ db }) {
    const tip = await readNativeTip(db);
    return tip && `${tip.accounts} balances of the chain's coin at block ${tip.number}`;
  },
  size: async ({ db }) => (await readNativeTip(db))?.accounts ?? 0,
};
