import { MessageChannel } from "node:worker_threads";
import { createApp } from "../../src/api/app.ts";
import type { Hex } from "../../src/chain/encoding/hex.ts";
import { Indexer } from "../../src/indexer/indexer.ts";
import { STAGES } from "../../src/indexer/stages.ts";
import { PortClient, servePort } from "../../src/jsonrpc/port.ts";
import { Upstream } from "../../src/source/upstream.ts";
import { IN_MEMORY } from "../../src/store/engine/databases.ts";
import { openStore } from "../../src/store/openStore.ts";
import { CHAIN_ID, DevelopmentNode, EMITTER, emission, word } from "../../test/support/developmentNode.ts";
import { measure, percentile } from "./measure.ts";

const LOGS = 1000;
const TURNS = 30;
const TOPIC = 7;

/** Milliseconds of CPU of `getLogs` and of the embedded node's own `eth_getLogs` for the same logs. */
export interface NodeComparison {
  readonly blocks: number;
  readonly rows: number;
  readonly ours: number;
  readonly node: number;
}

/** Both are asked without a socket, and answer a text. They take turns. The logs stand in blocks of equal distance. */
export async function compareWithNode(blocks: number): Promise<NodeComparison> {
  const node = await DevelopmentNode.open();
  const address = await emitAll(node, blocks);
  const { inject, close } = await serve(node);
  const range = { fromBlock: "0x2", toBlock: `0x${(blocks + 1).toString(16)}` };
  const query = { ...range, address, topics: [word(TOPIC)] };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getLogs", params: [query] });
  const path = `/api?module=logs&action=getLogs&fromBlock=2&toBlock=${blocks + 1}&address=${address}&topic0=${word(TOPIC)}`;
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < TURNS; turn++) {
    ours.push(await costOf(() => inject(`${path}&n=${turn}`)));
    theirs.push(await costOf(async () => String(await node.node.handle(body, true))));
  }
  await close();
  await node.close();
  return { blocks, rows: LOGS, ours: percentile(ours, 0.5), node: percentile(theirs, 0.5) };
}

/** Answers who emitted the logs. */
async function emitAll(node: DevelopmentNode, blocks: number): Promise<Hex> {
  const address = await node.deploy(EMITTER);
  for (let log = 0; log < LOGS; log++) {
    await node.send({ to: address, data: emission(TOPIC, log) });
    await node.ask("hardhat_mine", `0x${(blocks / LOGS - 1).toString(16)}`);
  }
  return address;
}

async function serve(node: DevelopmentNode) {
  const client = new PortClient();
  const { port1, port2 } = new MessageChannel();
  servePort(
    port1,
    (body, isTrusted) => node.node.handle(body, isTrusted),
    (listener) => node.node.watch(listener),
  );
  client.use(port2);
  const source = new Upstream({ port: client, chainId: CHAIN_ID, authoritative: true });
  const store = await openStore(IN_MEMORY, CHAIN_ID);
  const indexer = new Indexer({ store, source, stages: STAGES });
  while ((await indexer.step()) !== "idle");
  const app = createApp({ store, source, settings: { version: "0", chainId: CHAIN_ID, chainName: "Bench" } });
  return {
    inject: async (path: string) => (await app.inject(path)).body,
    close: async () => {
      await app.close();
      await source.close();
      await store.close();
    },
  };
}

/** CPU, as it does not depend on who else uses the machine. */
async function costOf(ask: () => Promise<string>): Promise<number> {
  const { result: text, cpuMs } = await measure(ask);
  const { result } = JSON.parse(text) as { result: unknown[] };
  if (result?.length !== LOGS) throw new Error(`not ${LOGS} logs: ${text.slice(0, 200)}`);
  return cpuMs;
}
