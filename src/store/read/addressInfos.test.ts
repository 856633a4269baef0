import assert from "node:assert/strict";
import { test } from "node:test";
import { describeEngines } from "../../../test/support/engines.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../../test/support/simulatedSource.ts";
import type { Block } from "../../chain/block/block.ts";
import { createsContract } from "../../chain/block/receipt.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { addressTopic, isLogOf, logEvent } from "../../chain/token/events/event.ts";
import { transfersOf } from "../../indexer/events/transfers.ts";
import { STAGES } from "../../indexer/stages.ts";
import { openStore } from "../openStore.ts";
import type { LogOutline } from "../rows/logBody.ts";
import type { ReadSession } from "../session.ts";
import type { Store } from "../store.ts";
import type { AddressInfo } from "./addressInfo.ts";

describeEngines((tested) => {
  const SEED = firstSeed();
  const TRANSFERS = [3, 4].map((topics) => logEvent("Transfer(address,address,uint256)", topics));
  const isTransfer = (log: LogOutline) => TRANSFERS.some((event) => isLogOf(event, log));

  async function append(store: Store, blocks: readonly Block[]): Promise<void> {
    await store.append({ head: blocks.at(-1)!.header.number, blocks: blocks, stages: STAGES });
  }

  /** Address info recomputed from blocks. */
  function kindIn(blocks: readonly Block[]): (address: Bytes) => AddressInfo {
    const receipts = blocks.flatMap((block) => block.receipts);
    const hexes = (addresses: readonly Bytes[]) => new Set(addresses.map(toHex));
    const emitters = hexes(receipts.flatMap(({ logs }) => logs.map(({ address }) => address)));
    const deployed = hexes(receipts.filter(createsContract).map(({ contractAddress }) => contractAddress!));
    const transfers = blocks.flatMap(transfersOf);
    const senders = hexes(receipts.map(({ from }) => from));
    const tokens = hexes(transfers.filter(({ isWrap }) => !isWrap).map(({ token }) => token));
    return (address) => {
      const hex = toHex(address);
      const [isToken, isSender] = [tokens.has(hex), senders.has(hex)];
      const isMade = isToken || deployed.has(hex);
      const runsCode = isMade || emitters.has(hex) || (isSender ? false : null);
      return { isContract: isMade || (isSender ? false : runsCode), runsCode, name: null, isToken, isVerified: false };
    };
  }

  /** All addresses in transaction rows, those in the topics of their logs included. */
  async function readAddresses(session: ReadSession): Promise<Bytes[]> {
    const list = session.transactions.all(0, (await session.blocks.tip())!);
    const mined = await session.transactions.at(await list.slice(0, await list.count()), true);
    const addresses = mined.flatMap(({ transaction: { from, to }, receipt, logs }) => [
      from,
      to,
      receipt.contractAddress,
      ...ownersIn(logs.inRow ?? []),
    ]);
    return addresses.filter((address) => address !== null);
  }

  /** Owners in logs of transfers, as other bytes than those of a row. */
  function ownersIn(logs: readonly LogOutline[]): Bytes[] {
    return logs.filter(isTransfer).flatMap((log) => [addressTopic(log, 1), addressTopic(log, 2)]);
  }

  test(`addresses are what the blocks tell of them, also by bytes that were read before a reorg (seed ${SEED})`, async (t) => {
    const chain = new SimulatedChain({ seed: SEED });
    chain.mine(60);
    const blocks = await simulatedSource(chain).blocks(0, 60);
    const store = await openStore(tested.memory, chain.chainId);
    t.after(() => store.close());
    await append(store, blocks);
    const expectKinds = async (
      session: ReadSession,
      expected: (address: Bytes) => AddressInfo,
      addresses: readonly Bytes[],
    ) => {
      const copies = addresses.map((address) => address.slice());
      const kinds = await session.addresses.infos([...addresses, ...copies]);
      for (const address of [...addresses, ...copies]) assert.deepEqual(kinds.get(address), expected(address));
    };

    const before = await store.read(async (session) => {
      const addresses = await readAddresses(session);
      await expectKinds(session, kindIn(blocks), addresses);
      return addresses;
    });
    chain.fork(20, 25);
    const after = await simulatedSource(chain).blocks(0, 65);
    await store.unwind(39);
    await append(store, after.slice(40));

    await store.read(async (session) => {
      const kinds = await session.addresses.infos(before);
      const found = before.filter((address) => kinds.has(address));
      for (const address of found) assert.deepEqual(kinds.get(address), kindIn(after)(address));
      await expectKinds(session, kindIn(after), await readAddresses(session));
    });
  });
});
