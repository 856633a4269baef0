import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { toHex } from "../src/chain/encoding/hex.ts";
import { UNREAD_EVENTS } from "../src/chain/exchange/unreadEvents.ts";
import { ExchangeChain } from "./support/exchange/chain.ts";
import { exchangeCode } from "./support/exchange/contracts.ts";
import { IndexedExchange } from "./support/exchange/indexed.ts";
import { POOL_TOPICS } from "./support/simulatedPools.ts";

interface Status {
  readonly unread_exchanges: readonly { event: string; logs: number; emitters: readonly string[] }[];
}

test("events of exchanges that are not understood are counted, with who emits them", async () => {
  const chain = await ExchangeChain.open();
  const indexed = await IndexedExchange.open(chain);
  const unread = async () => (await indexed.get<Status>("/status")).body.unread_exchanges;
  const forgers = [await chain.deploy(exchangeCode().Forger), await chain.deploy(exchangeCode().Forger)];
  const topicOf = (signature: string) => toHex(UNREAD_EVENTS.find((event) => event.signature === signature)!.topic);
  const emit = (from: Hex, topic: Hex) => chain.send(chain.builder, from, "emit0(bytes32[],bytes)", [topic], "0x");
  const [pool, exchange] = [
    "PoolCreated(address,address,int24,address)",
    "TokenExchange(address,int128,uint256,int128,uint256)",
  ];

  await emit(forgers[0]!, POOL_TOPICS.sync);
  await indexed.index();
  const before = await unread();
  for (let count = 0; count < 25; count++) await emit(forgers[0]!, topicOf(exchange!));
  await emit(forgers[1]!, topicOf(pool!));
  await emit(forgers[0]!, topicOf(pool!));
  await indexed.index();

  assert.deepEqual(before, []);
  const found = (await unread()).map(({ emitters, ...rest }) => ({
    ...rest,
    emitters: emitters.map((one) => one.toLowerCase()),
  }));
  assert.deepEqual(found, [
    { event: pool, logs: 2, emitters: [forgers[0], forgers[1]] },
    { event: exchange, logs: 25, emitters: [forgers[0]] },
  ]);
  assert.equal(new Set(UNREAD_EVENTS.map(({ topic }) => toHex(topic))).size, UNREAD_EVENTS.length);
  assert.equal(topicOf(pool!), "0xab0d57f0df537bb25e80245ef7748fa62353808c54d6e528a9dd20887aed9ac2");
  await indexed.close();
  await chain.close();
});
