import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { ExactSum } from "../../std/numbers.ts";
import type { ReadSession } from "../../store/session.ts";
import { NO_LIST } from "../../store/tables/list.ts";
import type { QueryContext } from "../context.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { readIndexedRange } from "../indexedRange.ts";
import { hasTokens } from "../stageRanges.ts";
import { transfersOfAddress } from "../tokens/transfers.ts";

/** Null if the stage is not as far as the core. */
export interface AddressCounts {
  readonly transactions: number;
  readonly logs: number;
  readonly minedBlocks: number;
  readonly transfers: number | null;
  readonly assets: number | null;
  /** Of traced blocks; null if there are none. */
  readonly internal: number | null;
}

export interface AddressCounters extends AddressCounts {
  /** Gas of transactions to a contract, or sent by an account. */
  readonly gasUsed: ExactSum;
}

export function countLists({ store }: QueryContext, address: Bytes): Promise<AddressCounts> {
  return store.read(async (session) => readCounts(session, address, await readIndexedRange(session)));
}

export function readCounters({ store }: QueryContext, address: Bytes): Promise<AddressCounters> {
  return store.read(async (session) => {
    const counts = await readCounts(session, address, await readIndexedRange(session));
    const id = await session.addresses.id(address);
    return { ...counts, gasUsed: id === undefined ? 0 : await readGasUsed(session, id, address) };
  });
}

/** Like other explorers: a contract that receives nothing may itself have sent transactions, before EIP-3607. */
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

/** Of traced blocks. */
async function countInternal({ traces }: ReadSession, address: Bytes): Promise<number | null> {
  if ((await traces.tip()) === undefined) return null;
  return (await traces.ofAddress(address)).count();
}
