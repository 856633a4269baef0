import { Type } from "../openapi/type.ts";
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
  chain_id: count("chain id"),
  chain_name: text("`--chain-name`, or `Chain` and its id"),
  version: text("version of Oriel"),
  head: orNull(fields("the node's newest block: `number` and `hash`; null if the node does not respond", block)),
  indexed: orNull(
    fields("the newest indexed block: `number`, `hash` and `timestamp`; null before the first block", {
      ...block,
      timestamp: count("its timestamp, in seconds since 1970"),
    }),
  ),
  since_block: orNull(count("the first indexed block")),
  lag: orNull(count("blocks from `indexed` to `head`; null if either is unknown")),
  disagreement: orNull(
    fields(
      "the height at which the node's newest block differs from the indexed one: `number`, `node_hash` and `index_hash`; null if they agree",
      {
        number: count("the height"),
        node_hash: hash("hash of the node's block"),
        index_hash: hash("hash of the indexed block"),
      },
    ),
  ),
  forked_at: orNull(
    Type.Integer({
      minimum: -1,
      description:
        "the newest block that the index shares with the node, while the node is on [another branch](#reorgs); -1 if they share none; null if they are on the same branch",
    }),
  ),
  digest: orNull(
    hash(
      "the digest of the newest block, chained over all earlier rows: two indexes with the same digest contain the same rows",
    ),
  ),
  indexer: fields(
    "`state` is `running`, `waiting`, `stopped` or `not started`; the last error as `code` and `message`",
    {
      state: words(["running", "waiting", "stopped", "not started"], "state of the indexer"),
      code: Type.Optional(text("the code of the last error")),
      message: Type.Optional(text("what went wrong")),
    },
  ),
  threads: arrayOf(
    fields("a thread", {
      name: text("`indexer`, or `node` where the chain is embedded"),
      running: flag("whether it is running"),
      restarts: count("how often it died and was restarted"),
      reason: orNull(text("the cause of the last restart")),
    }),
    "the threads: `name`, whether it is `running`, the number of `restarts`, and the `reason` of the last one",
  ),
  process: orNull(
    fields(
      "this process: its `name` and its `role`, which is `writer`, `standby` or `reader`; null if it has no name",
      {
        name: text("host and process id"),
        role: words(["writer", "standby", "reader"], "what it does with the index"),
      },
    ),
  ),
  writer: orNull(
    fields("the process that writes the index: its `name`, and whether it is `active`; null if it is not known", {
      name: text("host and process id"),
      active: flag("whether it may still write; if not, another takes over"),
    }),
  ),
  index_age_seconds: orNull(
    count("seconds since the process that writes the index last gave a sign of life; null if it is not known"),
  ),
  upstreams: orNull(
    arrayOf(
      fields("a node", {
        name: text("scheme, host and port"),
        state: words(["ok", "behind", "on another branch", "invalid data", "failing", "not asked yet"], "how it does"),
        reason: orNull(text("what it failed with, or which check its data failed")),
        head: orNull(count("its newest block; null before it was looked at, which is done where there are several")),
        lag: orNull(count("blocks behind the head that the nodes agree on")),
        latency_ms: orNull(count("milliseconds that a response takes")),
        requests: count("requests so far"),
        failures: count("failed requests so far"),
      }),
      "the nodes behind the [gateway](json-rpc.md#in-front-of-a-node): `name`, `state` (`ok`, `behind`, `on another branch`, `invalid data`, `failing` or `not asked yet`), `reason`, `head`, `lag`, `latency_ms`, `requests` and `failures` of each; null on an embedded chain",
    ),
  ),
  stages: arrayOf(
    fields("a stage", {
      name: text("its name"),
      version: count("version of the derived data"),
      block: count("its newest block"),
      digest: hash("digest of that block"),
    }),
    "the indexing stages: `name`, `version`, `block` and `digest` of each",
  ),
  omitted_transfers: orNull(
    fields(
      "transfers omitted from blocks with [too many](tokens.md#blocks-with-too-many-transfers): the number of `blocks` and `transfers`, and the `last` such block; null if there are none",
      {
        blocks: count("blocks with omitted transfers"),
        transfers: count("omitted transfers"),
        last: fields("the newest of those blocks", {
          block: count("its number"),
          transfers: count("transfers omitted from it"),
          tokens: count("number of tokens concerned"),
          busiest_token: text("the token with the most omitted transfers"),
        }),
      },
    ),
  ),
  unlisted_logs: orNull(
    fields(
      "logs that are not in the lists of addresses, from [blocks with over a million](#limits-of-a-block): the number of `blocks` and `logs`; null if there are none",
      { blocks: count("blocks with such logs"), logs: count("logs that are available only with their transaction") },
    ),
  ),
  unread_exchanges: arrayOf(
    fields("an event", {
      event: text("its signature"),
      logs: count("how many logs have it"),
      emitters: arrayOf(text("a contract"), "the contracts that emitted the newest of them"),
    }),
    "events of [exchanges that are not understood](exchange-api.md#which-pools-count), such as those of Curve and Balancer: `event`, how many `logs` have it, and the `emitters` of the newest 20",
  ),
  traces: orNull(
    fields(
      "the [traces](traces.md): the newest traced `block`, `internal_transactions` and `untraced_transactions` up to it, and in `message` why the next block is not traced; null if traces were never on",
      {
        block: orNull(count("the newest traced block")),
        internal_transactions: count("internal transactions up to it"),
        untraced_transactions: count("transactions whose traces are too long to read"),
        message: orNull(text("why the next block is not traced")),
      },
    ),
  ),
  verification: fields(
    "the progress of [verification](integrity.md#verification): `rounds` and `next_block`; and its findings: `damaged_blocks`, `first_damaged`, `differences` and `problem`",
    {
      rounds: count("completed rounds over all blocks"),
      next_block: count("the next block to verify"),
      damaged_blocks: count("damaged blocks, counted up to 100"),
      first_damaged: orNull(count("the lowest of them")),
      differences: count("differences found in the last full recomputation"),
      problem: orNull(text("the last problem found")),
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
        addresses: count("addresses seen on the chain"),
        contracts: count("contracts that were deployed"),
        event_signatures: count("distinct event signatures"),
        gas_used: decimal("gas used"),
      },
    ),
  ),
  uptime_seconds: count("uptime of the process"),
});
