import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { readIndexedRange } from "../indexedRange.ts";
import { hasTokens } from "../tokens/tokenStage.ts";
import { NO_LIST } from "../../store/list.ts";
import type { ReadSession } from "../../store/session.ts";
import type { Context } from "../context.ts";
import { cacheable } from "../../api/http/responseCache.ts";
import type { Shape } from "../../api/openapi/values.ts";
import { parseAddress } from "../../api/rest/params.ts";
import { transfersOfAddress } from "../tokens/transfers.ts";
import type { AccountCountersSchema, AccountListsSchema } from "../../api/rest/addresses/accountSchema.ts";

/** How much the index contains of an address. What concerns tokens is null where the stage is not as far. */
export interface Counts {
  readonly transactions: number;
  readonly logs: number;
  /** Blocks that name it as their miner. */
  readonly validations: number;
  readonly transfers: number | null;
  readonly assets: number | null;
}

/** What an address did in all. */
export async function serveCounters({ store }: Context, text: string): Promise<Shape<typeof AccountCountersSchema>> {
  const address = parseAddress(text);
  return store.read(async (session) => {
    const { transactions, transfers, validations } = await readCounts(
      session,
      address,
      await readIndexedRange(session),
    );
    const id = await session.addresses.id(address);
    const gasUsed = id === undefined ? 0 : (await session.addresses.account(id)).gasUsed;
    return cacheable("index", {
      transactions_count: String(transactions),
      token_transfers_count: transfers === null ? null : String(transfers),
      gas_usage_count: String(gasUsed),
      validations_count: String(validations),
    });
  });
}

/** How long each list of an address is: exact, where others stop counting at 51. */
export async function serveTabsCounters({ store }: Context, text: string): Promise<Shape<typeof AccountListsSchema>> {
  const address = parseAddress(text);
  const counts = await store.read(async (session) => readCounts(session, address, await readIndexedRange(session)));
  return cacheable("index", {
    transactions_count: counts.transactions,
    token_transfers_count: counts.transfers,
    token_balances_count: counts.assets,
    logs_count: counts.logs,
    internal_transactions_count: null,
    validations_count: counts.validations,
    withdrawals_count: null,
  });
}

export async function readCounts(
  session: ReadSession,
  address: Bytes,
  range: IndexedRange | undefined,
): Promise<Counts> {
  const id = await session.addresses.id(address);
  const [transactions, logs] =
    id === undefined ? [NO_LIST, NO_LIST] : [session.addresses.transactions(id), session.addresses.emitted(id)];
  const mined = await session.addresses.mined(address);
  const counts = {
    transactions: await transactions.count(),
    logs: await logs.count(),
    validations: await mined.count(),
  };
  if (!(await hasTokens(session, range))) return { ...counts, transfers: null, assets: null };
  const transfers = await transfersOfAddress(session, address);
  const assets = id === undefined ? 0 : await session.tokens.assets.count(id);
  return { ...counts, transfers: await transfers.count(), assets };
}
