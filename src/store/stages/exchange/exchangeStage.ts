import type { Stage } from "../stage.ts";
import { ExchangeAppender } from "./exchangeAppend.ts";
import { auditExchange, ExchangeAudit } from "./exchangeAudit.ts";
import { ExchangeMemory } from "./exchangeMemory.ts";
import type { ExchangeBlock } from "./exchangeReducer.ts";
import type { ExchangeTip } from "./exchangeTip.ts";
import { exchangeTipAt, readExchangeTip } from "./exchangeTip.ts";
import { unwindExchangeTo } from "./exchangeUnwind.ts";

type ExchangeStageEvents = Omit<ExchangeBlock, "number">;

const TABLES = [
  ...["exchange_block", "pool", "pool_creation", "pool_state", "position", "position_owner"],
  ...["pool_observation", "pool_due"],
];

export const EXCHANGE: Stage<ExchangeStageEvents, ExchangeTip> = {
  name: "exchange",
  version: 6,
  journals: [],
  tip: readExchangeTip,
  estimateRows: ({ logs }) => logs.length,
  open(_core, addressHasher) {
    const memory = new ExchangeMemory(addressHasher);
    return {
      append: (tip) => new ExchangeAppender(memory, tip),
      async unwind(writer, tip) {
        await unwindExchangeTo(writer, tip);
        memory.clear();
      },
      clear: () => memory.clear(),
    };
  },
  async clear(writer) {
    for (const table of TABLES) await writer.run(`DELETE FROM ${table}`);
  },
  audit: auditExchange,
  async verify(session, number, events, report) {
    const newest = await readExchangeTip(session.db);
    if (newest === undefined || newest.number < number) return;
    const before = await exchangeTipAt(session.db, number - 1);
    await new ExchangeAudit(session, events, report).block(number, before);
  },
  async summary({ db }) {
    const tip = await readExchangeTip(db);
    return tip && tip.events > 0 ? `${tip.events} exchange events up to block ${tip.number}` : undefined;
  },
  size: async ({ db }) => (await readExchangeTip(db))?.events ?? 0,
};
