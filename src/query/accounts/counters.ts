import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { ExactSum } from "../../std/numbers.ts";
import type { ReadSession } from "../../store/session.ts";
import type { SearchableList } from "../../store/tables/list.ts";
import type { QueryContext } from "../context.ts";
import { readIndexedRange } from "../indexedRange.ts";
import { hasTokens } from "../stageRanges.ts";

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
  return store.read((session) => readCounts(session, address));
}

export function readCounters({ store }: QueryContext, address: Bytes): Promise<AddressCounters> {
  return store.read(async (session) => {
    const [counts, gasUsed] = await Promise.all([readCounts(session, address), readGasUsed(session, address)]);
    return { ...counts, gasUsed };
  });
}

/** As other explorers count: a contract without incoming transactions may have sent some, before EIP-3607. */
async function readGasUsed(session: ReadSession, address: Bytes): Promise<ExactSum> {
  const { addresses, traces } = session;
  const [id, infos] = await Promise.all([addresses.id(address), addresses.infos([address])]);
  if (id === undefined) return 0;
  const { isContract = null } = infos.get(address) ?? {};
  const isCalled = isContract ?? (await traces.creationOf(address)) !== undefined;
  const [received, { gasUsed }] = await Promise.all([isCalled ? addresses.receivedGas(id) : 0, addresses.account(id)]);
  return received === 0 ? gasUsed : received;
}

export async function readCounts(session: ReadSession, address: Bytes): Promise<AddressCounts> {
  const { addresses, tokens } = session;
  const count = async (list: Promise<SearchableList>) => (await list).count();
  const [listed, minedBlocks, internal, transfers, assets, hasStage] = await Promise.all([
    addresses.countsOf(address),
    count(addresses.mined(address)),
    countInternal(session, address),
    count(tokens.transfers.ofAddressAt(address)),
    addresses.id(address).then((id) => (id === undefined ? 0 : tokens.assets.count(id))),
    readIndexedRange(session).then((range) => hasTokens(session, range)),
  ]);
  const counts = { ...listed, minedBlocks, internal };
  return hasStage ? { ...counts, transfers, assets } : { ...counts, transfers: null, assets: null };
}

/** Of traced blocks. */
async function countInternal({ traces }: ReadSession, address: Bytes): Promise<number | null> {
  const [tip, list] = await Promise.all([traces.tip(), traces.ofAddress(address)]);
  return tip === undefined ? null : list.count();
}
