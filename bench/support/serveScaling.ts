import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { toHex } from "../../src/chain/encoding/hex.ts";
import { openStoreReadOnly } from "../../src/store/openStore.ts";
import { Random } from "../../test/support/random.ts";
import { LoadClient } from "./load.ts";
import { startServing } from "./program.ts";

/** Requests of each process, and those before any is counted. */
const [REQUESTS, WARM_UP] = [1500, 500];
const WIDTH = 16;

/** Requests per second. */
export interface Scaling {
  readonly one: number;
  readonly two: number;
}

/** Transactions asked of one process that serves the database, and of two at once. */
export async function measureScaling(store: string, seed: number): Promise<Scaling> {
  const node = fork(fileURLToPath(new URL("./echoNode.ts", import.meta.url)));
  const [rpc] = (await once(node, "message")) as [string];
  const programs = [await startServing(rpc, store), await startServing(rpc, store)];
  const clients = programs.map(() => new LoadClient());
  const hashes = await someHashes(store, new Random(seed));
  let asked = 0;
  const ask = async (count: number, requests: number) => {
    const loads = programs.slice(0, count).map(({ url }, at) => {
      const paths = hashes(requests).map((hash) => `/api/v2/transactions/${hash}?n=${asked++}`);
      return clients[at]!.send({ origin: url, paths, width: WIDTH });
    });
    return (count * requests * 1000) / Math.max(...(await Promise.all(loads)));
  };
  try {
    await ask(2, WARM_UP);
    return { one: await ask(1, REQUESTS), two: await ask(2, REQUESTS) };
  } finally {
    for (const client of clients) client.close();
    for (const program of programs) await program.stop();
    node.disconnect();
  }
}

async function someHashes(url: string, random: Random): Promise<(count: number) => string[]> {
  const store = await openStoreReadOnly(url);
  const positions = (await store.database.all<[number]>("SELECT position FROM tx LIMIT 20000")).map(([at]) => at);
  const some = random.shuffle(positions).slice(0, 2000);
  const hashes = (await store.latest.transactions.at(some)).map(({ transaction }) => toHex(transaction.hash));
  await store.close();
  return (count) => Array.from({ length: count }, () => random.pick(hashes));
}
