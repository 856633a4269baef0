import assert from "node:assert/strict";
import { test } from "node:test";
import { fingerprint } from "../../../test/support/fingerprint/fingerprint.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../../test/support/simulatedSource.ts";
import { address, encodeArrays, tokenLog, word } from "../../../test/support/tokenLogs.ts";
import type { Block } from "../../chain/block/block.ts";
import type { Log } from "../../chain/block/receipt.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { IN_MEMORY } from "../../store/engine/databases.ts";
import { openStore } from "../../store/openStore.ts";
import type { LoggedBlock } from "../../store/read/blockLogs.ts";
import { feed } from "../../store/stages/stage.ts";
import { auditTokens } from "../../store/stages/tokens/audit/tokenAudit.ts";
import { TOKENS } from "../../store/stages/tokens/tokenStage.ts";
import type { Store } from "../../store/store.ts";
import { MAX_TRANSFERS } from "./omission.ts";
import { tokenEvents } from "./transfers.ts";

const transfer = (token: number): Log => ({
  ...tokenLog("transfer", [address(1), address(2)], [word(5)]),
  address: address(token),
});

const batch = (token: number, items: number): Log => {
  const ids = Array.from({ length: items }, (_, i) => word(i));
  return {
    ...tokenLog("transferBatch", [address(9), address(1), address(2)], encodeArrays(ids, ids)),
    address: address(token),
  };
};

const ofTokens = (logs: readonly Log[], max: number) => {
  const { transfers, omitted } = tokenEvents({ receipts: [{ logs }] }, max);
  return { tokens: transfers.map(({ token }) => token[0]), omitted };
};

test("a block within the limit is whole", () => {
  assert.deepEqual(ofTokens([transfer(1), transfer(2), transfer(1)], 3), { tokens: [1, 2, 1], omitted: undefined });
});

test("only the busiest tokens of a block with too many transfers are omitted", () => {
  const logs = [transfer(1), batch(7, 6), transfer(2), transfer(2), transfer(2), transfer(1)];

  assert.deepEqual(ofTokens(logs, 10), {
    tokens: [1, 2, 2, 2, 1],
    omitted: { transfers: 6, tokens: 1, busiest: address(7) },
  });
  assert.deepEqual(ofTokens(logs, 4), { tokens: [1, 1], omitted: { transfers: 9, tokens: 2, busiest: address(7) } });
});

test("a flood that is spread over many contracts leaves ordinary tokens as they are", () => {
  const flood = Array.from({ length: 50 }, (_, at) => batch(100 + at, 4));
  const honest = Array.from({ length: 20 }, () => transfer(1));

  const { tokens, omitted } = ofTokens([...flood, ...honest], 100);

  assert.equal(tokens.filter((token) => token === 1).length, 20);
  assert.equal(omitted?.tokens, 30);
});

test("a batch whose amounts are its ids counts in full", () => {
  const ids = Array.from({ length: 30 }, (_, i) => word(i));
  const data = Buffer.concat([word(64), word(64), word(ids.length), ...ids]);
  const log: Log = { ...batch(7, 1), data: new Uint8Array(data) };

  assert.deepEqual(ofTokens([log, transfer(1)], 20).tokens, [1]);
});

test("of tokens with equally many transfers the first in the block is omitted first", () => {
  const { tokens, omitted } = ofTokens([transfer(3), transfer(4), transfer(4), transfer(3)], 2);

  assert.deepEqual(tokens, [4, 4]);
  assert.deepEqual(omitted?.busiest, address(3));
});

test("logs that are no transfers count for nothing, however long they are", () => {
  const noise: Log = { address: address(5), topics: word(1), data: new Uint8Array(4096), logIndex: 0 };

  assert.deepEqual(ofTokens([noise, transfer(1), noise], 1), { tokens: [1], omitted: undefined });
});

test("what stays has the places it has in the whole block", () => {
  const logs = [batch(7, 5), transfer(1), batch(7, 5), transfer(1)];

  const { transfers } = tokenEvents({ receipts: [{ logs }] }, 4);

  assert.deepEqual(
    transfers.map(({ logIndex }) => logIndex),
    [1, 3],
  );
});

test("a million items in one block are omitted without being held in memory", () => {
  const log = batch(7, 10_000);
  const logs = Array.from({ length: 105 }, () => log);

  const { transfers, omitted } = tokenEvents({ receipts: [{ logs }, { logs: [transfer(1)] }] });

  assert.equal(transfers.length, 1);
  assert.equal(omitted?.transfers, 1_050_000);
  assert.ok(omitted.transfers > MAX_TRANSFERS);
});

const few = (block: LoggedBlock) => tokenEvents(block, 4);

async function appendAll(store: Store, blocks: readonly Block[], withTransfers: boolean): Promise<void> {
  for (const block of blocks) {
    await store.append({
      head: blocks.at(-1)!.header.number,
      blocks: [block],
      stages: withTransfers ? [feed(TOKENS, few)] : [],
    });
  }
}

const SEED = firstSeed();

test(`omissions do not depend on how the stage was built, and are unwound with their blocks (seed ${SEED})`, async () => {
  const chain = new SimulatedChain({ seed: SEED, traffic: { logs: [0, 12] } });
  chain.mine(30);
  const blocks = await simulatedSource(chain).blocks(0, chain.length);
  const [together, derived] = [await openStore(IN_MEMORY, chain.chainId), await openStore(IN_MEMORY, chain.chainId)];

  await appendAll(together, blocks, true);
  await together.unwind(12);
  await appendAll(together, blocks.slice(13), true);
  await appendAll(derived, blocks, false);
  while ((await derived.derive(feed(TOKENS, few), 7, 10)) > 0);

  const omitting = blocks.map(few).filter(({ omitted }) => omitted !== undefined);
  const omissions = await together.latest.tokens.omissions();
  assert.ok(omitting.length > 0);
  assert.equal(omissions?.blocks, omitting.length);
  assert.equal(
    omissions?.transfers,
    omitting.reduce((sum, { omitted }) => sum + omitted!.transfers, 0),
  );
  assert.equal(toHex(omissions.last.busiest), toHex(omitting.at(-1)!.omitted!.busiest));
  assert.equal(await derived.read(fingerprint), await together.read(fingerprint));
  assert.deepEqual(await together.read((session) => auditTokens(session, (block) => few(block).transfers)), []);
});
