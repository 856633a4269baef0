import { Type } from "typebox";
import {
  anything,
  arrayOf,
  count,
  decimal,
  fields,
  flag,
  hash,
  orNull,
  record,
  text,
  words,
} from "../openapi/values.ts";

const block = { number: count("its number"), hash: hash("its hash") };

export const StatusSchema = record("Status", {
  chain_id: count("the chain"),
  chain_name: text("`--chain-name`, or `Chain` and its id"),
  version: text("of this program"),
  head: orNull(fields("the node's newest block: `number` and `hash`; null when the node does not answer", block)),
  indexed: orNull(
    fields("the newest indexed block: `number`, `hash` and `timestamp`; null before the first", {
      ...block,
      timestamp: count("when it was made, in seconds since 1970"),
    }),
  ),
  since_block: orNull(count("the first indexed block")),
  lag: orNull(count("blocks between the two; null when either is unknown")),
  disagreement: orNull(
    fields(
      "where the node's newest block is another than the indexed one of its `number`: `node_hash` and `index_hash`; null where they agree",
      {
        number: count("the height"),
        node_hash: hash("of the node's block"),
        index_hash: hash("of the indexed block"),
      },
    ),
  ),
  digest: orNull(
    hash("of the newest block, chained over all rows before: two indexes with the same digest hold the same rows"),
  ),
  indexer: fields(
    "`state` is `running`, `waiting`, `stopped` or `not started`; the last error as `code` and `message`",
    {
      state: words(["running", "waiting", "stopped", "not started"], "what it does"),
      code: Type.Optional(text("the code of the last error")),
      message: Type.Optional(text("what went wrong")),
    },
  ),
  threads: arrayOf(
    fields("a thread", {
      name: text("`indexer`, or `node` where the chain is embedded"),
      running: flag("whether it does its work"),
      restarts: count("how often it died and was started again"),
      reason: orNull(text("why it ended the last time")),
    }),
    "`name`, whether it is `running`, its `restarts` and the `reason` of the last one",
  ),
  stages: arrayOf(
    fields("a stage", {
      name: text("its name"),
      version: count("the version of what it derives"),
      block: count("the block it is at"),
      digest: hash("of that block"),
    }),
    "what derives data from blocks: `name`, `version`, `block` and `digest` of each",
  ),
  omitted_transfers: orNull(
    fields(
      "what the tokens stage left out of blocks with [too many transfers](tokens.md#blocks-with-too-many-transfers): `blocks`, `transfers` and the `last` of those blocks; null where nothing was",
      {
        blocks: count("blocks of which something was left out"),
        transfers: count("transfers that were left out"),
        last: fields("the newest of those blocks", {
          block: count("its number"),
          transfers: count("transfers that were left out of it"),
          tokens: count("tokens they are of"),
          busiest_token: text("the one with most of them"),
        }),
      },
    ),
  ),
  unlisted_logs: orNull(
    fields(
      "logs that are in no list of an address, of [blocks with over a million](#limits-of-a-block): `blocks` and `logs`; null where there are none",
      { blocks: count("blocks that have such logs"), logs: count("logs that are with their transactions alone") },
    ),
  ),
  verification: fields(
    "how far the [verification](integrity.md#verification) is: `rounds` and `next_block`; and what it found: `damaged_blocks`, `first_damaged`, `differences` and `problem`",
    {
      rounds: count("how often all blocks were gone over"),
      next_block: count("the next block to look at"),
      damaged_blocks: count("blocks whose rows do not agree, counted up to 100"),
      first_damaged: orNull(count("the lowest of them")),
      differences: count("what did not agree in the last round that recomputed everything"),
      problem: orNull(text("what was found last")),
    },
  ),
  integrity_mode: orNull(
    words(["auto", "enforce", "observe"], "what a failed check does; null before the first block"),
  ),
  integrity: anything("how often each [check](integrity.md) held and failed"),
  totals: orNull(
    fields(
      "`blocks`, `transactions`, `logs`, `addresses`, `contracts`, `event_signatures` and `gas_used` since the first indexed block",
      {
        blocks: count("blocks"),
        transactions: count("transactions"),
        logs: count("logs"),
        addresses: count("addresses the chain has shown"),
        contracts: count("contracts that were deployed"),
        event_signatures: count("different events"),
        gas_used: decimal("gas used"),
      },
    ),
  ),
  uptime_seconds: count("of the process"),
});
