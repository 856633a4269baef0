import { keyTableNames } from "../../keys/keyTable.ts";
import type { Stage } from "../stage.ts";
import type { TraceEvents } from "./traceAppend.ts";
import { TraceAppender } from "./traceAppend.ts";
import { auditTraces, TraceAudit } from "./traceAudit.ts";
import { TraceTables } from "./traceTables.ts";
import type { TraceTip } from "./traceTip.ts";
import { readTraceTip } from "./traceTip.ts";
import { unwindTracesTo } from "./traceUnwind.ts";

const TABLES = [
  ...["trace_block", "trace_call", "trace_address", "trace_creation"],
  ...keyTableNames("trace_address_hash"),
  ...["trace_address_call_tail", "trace_address_call_run"],
];

/** Internal calls that move value, create or destroy, and failure messages, as traced by the node. */
export const TRACES: Stage<TraceEvents, TraceTip> = {
  name: "traces",
  version: 2,
  journals: [],
  tip: readTraceTip,
  estimateRows: ({ transactions }) => transactions.reduce((sum, { calls }) => sum + calls.length, 0),
  open({ merges }, addressHasher) {
    const tables = new TraceTables(addressHasher, merges);
    return {
      append: (tip) => new TraceAppender(tables, tip),
      unwind: (writer, tip) => unwindTracesTo(writer, tables, tip),
      clear: () => tables.clear(),
    };
  },
  async clear(writer) {
    for (const table of TABLES) await writer.run(`DELETE FROM ${table}`);
  },
  audit: (session, _events, options) => auditTraces(session, options),
  async verify(session, number, _events, report) {
    const newest = await readTraceTip(session.db);
    if (newest !== undefined && newest.number >= number) await new TraceAudit(session, report).verify(number);
  },
  async summary({ db }) {
    const tip = await readTraceTip(db);
    return tip && `${tip.calls} internal calls up to block ${tip.number}`;
  },
  size: async ({ db }) => (await readTraceTip(db))?.calls ?? 0,
};
