import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { ExactSum } from "../../std/numbers.ts";
import type { ReadSession } from "../../store/session.ts";
import { NO_LIST } from "../../store/tables/list.ts";
import type { QueryContext } from "../context.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { readIndexedRange } from "../indexedRange.ts";
import { hasTokens } from "../stageRanges.ts";
import { transfersOfAddress } from "../tokens/transfers.ts";

/** How much is indexed of an address. What a stage knows is null where the stage is not as far. */
export interface AddressCounts {
  readonly transactions: number;
  readonly logs: number;
  /** Blocks that name it as their miner. */
  readonly minedBlocks: number;
  readonly transfers: number | null;
  /** Tokens and items that it has. */
  readonly assets: number | null;
  /** Internal transactions of the blocks that are traced; null where none are. */
  readonly internal: number | null;
}

export interface AddressCounters extends AddressCounts {
  /** Of all transactions that were sent to a contract; of those that anybody else sent. */
  readonly gasUsed: ExactSum;
}

/** How long each list of an address is. */
export function countLists({ store }: QueryContext, address: Bytes): Promise<AddressCounts> {
  return store.read(async (session) => readCounts(session, address, await readIndexedRange(session)));
}

/** What an address did in all. */
export function readCounters({ store }: QueryContext, address: Bytes): Promise<AddressCounters> {
  return store.read(async (session) => {
    const counts = await readCounts(session, address, await readIndexedRange(session));
    const id = await session.addresses.id(address);
    return { ...counts, gasUsed: id === undefined ? 0 : await readGasUsed(session, id, address) };
  });
}

/** As other explorers count: a contract that nobody sends to may have sent itself, before there was EIP-3607. */
async function readGasUsed(session: ReadSession, id: number, address: Bytes): Promise<ExactSum> {
  const { addresses, traces } = session;
  const { isContract = null } = (await addresses.infos([address])).get(address) ?? {};
  const isCalled = isContract ?? (await traces.creationOf(address)) !== undefined;
  const received = isCalled ? await addresses.receivedGas(id) : 0;
  return received === 0 ? (await addresses.account(id)).gasUsed : received;
}

export async function readCounts(
  session: ReadSession,
  address: Bytes,
  range: IndexedRange | undefined,
): Promise<AddressCounts> {
  const { addresses, tokens } = session;
  const id = await addresses.id(address);
  const [transactions, logs] =
    id === undefined ? [NO_LIST, NO_LIST] : [addresses.transactions(id), addresses.emitted(id)];
  const mined = await addresses.mined(address);
  const counts = {
    transactions: await transactions.count(),
    logs: await logs.count(),
    minedBlocks: await mined.count(),
    internal: await countInternal(session, address),
  };
  if (!(await hasTokens(session, range))) return { ...counts, transfers: null, assets: null };
  const transfers = await transfersOfAddress(session, address);
  const assets = id === undefined ? 0 : await tokens.assets.count(id);
  return { ...counts, transfers: await transfers.count(), assets };
}

/** Of the blocks that are traced, as the list of them has it. */
async function countInternal({ traces }: ReadSession, address: Bytes): Promise<number | null> {
  if ((await traces.tip()) === undefined) return null;
  return (await traces.ofAddress(address)).count();
}
