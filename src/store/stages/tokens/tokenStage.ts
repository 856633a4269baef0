import { keyTableNames } from "../../keys/keyTable.ts";
import type { Stage } from "../stage.ts";
import { auditTokens } from "./audit/tokenAudit.ts";
import { TokenBlockAudit } from "./audit/tokenBlockAudit.ts";
import { TokenTables } from "./tables/tokenTables.ts";
import type { TokenTip } from "./tables/tokenTip.ts";
import { readTokenTip } from "./tables/tokenTip.ts";
import type { BlockTransfers } from "./tables/transferIds.ts";
import { TokenAppender } from "./tokenAppend.ts";
import { unwindTokensTo } from "./tokenUnwind.ts";

type TokenEvents = Omit<BlockTransfers, "number">;

/** Tokens, transfers and balances. */
export const TOKENS: Stage<TokenEvents, TokenTip> = {
  name: "tokens",
  version: 2,
  journals: ["holding_journal", "item_holding_journal"],
  tip: readTokenTip,
  estimateRows: ({ transfers }) => transfers.length,
  open({ dictionaries, merges }, addressHasher) {
    const tables = new TokenTables(addressHasher, merges);
    return {
      append: (tip, options) => new TokenAppender(tables, dictionaries.addresses, tip, options),
      unwind: (writer, tip) => unwindTokensTo(writer, tables, tip),
      clear: () => tables.clear(),
    };
  },
  async clear(writer) {
    for (const table of TABLES) await writer.run(`DELETE FROM ${table}`);
    await writer.run("DELETE FROM journal WHERE source IN ('token', 'wrapper')");
  },
  audit: (session, events, options) => auditTokens(session, (block) => events(block).transfers, options),
  async verify(session, number, events, report) {
    const { db } = session;
    const newest = await readTokenTip(db);
    if (newest === undefined || newest.number < number) return;
    const tip = await readTokenTip(db, number);
    if (!report.expectFound(tip, `the tokens stage has no block ${number}`)) return;
    const before = await readTokenTip(db, number - 1);
    await new TokenBlockAudit(session, (block) => events(block).transfers, report, before).block(tip);
  },
  async summary({ db }) {
    const tip = await readTokenTip(db);
    return tip && `${tip.totals.transfers} token transfers up to block ${tip.number}`;
  },
  size: async ({ db }) => (await readTokenTip(db))?.totals.transfers ?? 0,
};

const LISTS = ["token_transfer", "address_transfer", "token_item", "item_transfer"];

const TABLES = [
  ...["token_block", "transfer", "transfer_count", "omitted_transfer", "item"],
  ...keyTableNames("item_hash"),
  ...LISTS.flatMap((list) => [`${list}_tail`, `${list}_run`]),
  ...["token", "holding", "holding_journal", "holding_run", "item_holding", "item_holding_journal", "holder"],
  ...[
    "token_rank",
    "token_rank_count",
    "asset",
    "asset_count",
    "item_holder",
    "item_holder_count",
    "wrapper",
    "wrapped_coin",
  ],
  ...["token_observation", "token_due", "token_name"],
];
