import { GraphQLError } from "graphql";
import type { ListedToken } from "../../query/exchange/listedPools.ts";
import type { PoolToken } from "../../query/pools/poolRecords.ts";
import { readPoolTokens } from "../../query/pools/poolRecords.ts";
import { readSupplies } from "../../query/subgraph/poolSupplies.ts";
import type { SubgraphPool } from "../../query/subgraph/subgraphMarket.ts";
import type { SubgraphState } from "../../query/subgraph/subgraphState.ts";
import type { SubgraphTransaction } from "../../query/subgraph/transactionEvents.ts";
import { readTransactions } from "../../query/subgraph/transactionEvents.ts";
import { Batch } from "./batch.ts";
import { FieldTurns } from "./fieldTurns.ts";
import { MAX_FIELDS } from "./limits.ts";

/** What the fields of one request read of one state. */
export interface SubgraphContext {
  readonly state: SubgraphState;
  readonly tokens: Batch<ListedToken, PoolToken>;
  /** Times of blocks. */
  readonly times: Batch<number, number>;
  /** Of the shares of pairs. */
  readonly supplies: Batch<SubgraphPool, bigint>;
  /** By position of a log in each. */
  readonly transactions: Batch<number, SubgraphTransaction>;
  readonly turns: FieldTurns;
  /** Counts fields that are answered. */
  spend(fields: number): void;
}

export function openContext(state: SubgraphState): SubgraphContext {
  const { session, view } = state;
  let spent = 0;
  return {
    state,
    tokens: new Batch(async (tokens) => {
      const found = await readPoolTokens(session, view, tokens);
      return tokens.map(({ number }) => found.get(number)!);
    }),
    times: new Batch(async (blocks) => {
      const stamps = await session.blocks.stamps(blocks);
      return blocks.map((block) => stamps.get(block)?.timestamp ?? 0);
    }),
    supplies: new Batch((pools) => readSupplies(state, pools)),
    transactions: new Batch(async (positions) => {
      const found = await readTransactions(state, positions);
      return positions.map((position) => found.get(position)!);
    }),
    turns: new FieldTurns(),
    spend: (fields) => {
      spent += fields;
      if (spent > MAX_FIELDS) throw new GraphQLError(TOO_MANY);
    },
  };
}

const TOO_MANY = `the query may have more than ${MAX_FIELDS} fields in its answer; select less, or a smaller \`first\``;
