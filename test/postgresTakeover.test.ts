import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { Indexer } from "../src/indexer/indexer.ts";
import { AUDITED_STAGES, STAGES } from "../src/indexer/stages.ts";
import { auditStore } from "../src/store/audit/audit.ts";
import { IN_MEMORY } from "../src/store/engine/databases.ts";
import { openStore, openStoreReadOnly } from "../src/store/openStore.ts";
import { fingerprint } from "./support/fingerprint/fingerprint.ts";
import type { PostgresTestServer } from "./support/postgresServer.ts";
import { emptyStore, startPostgres } from "./support/postgresServer.ts";
import type { Program } from "./support/program.ts";
import { get, runProgram, temporaryDirectory } from "./support/program.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import type { SimulatedNode } from "./support/simulatedNode.ts";
import { startSimulatedNode } from "./support/simulatedNode.ts";
import { simulatedSource } from "./support/simulatedSource.ts";
import type { TcpProxy } from "./support/tcpProxy.ts";
import { throughProxy } from "./support/tcpProxy.ts";
import { until } from "./support/waiting.ts";

const FAULTS = Number(process.env.ORIEL_TAKEOVERS ?? 3);
const SEED = firstSeed();

/** Seconds within which another process writes. */
const MAX_TAKEOVER = 10;

/** What happens to the writer, in turn. The first three stop it until another has taken over. */
const KINDS = ["hang", "stop", "kill", "cut", "terminate", "restart"] as const;
type Kind = (typeof KINDS)[number];

/** Without a campaign, what other tests do not do. */
const DEFAULT_KINDS: readonly Kind[] = ["hang", "terminate", "restart"];

const ASK_INTERVAL = 50;

interface Writing {
  readonly program: Program;
  readonly proxy: TcpProxy;
}

class Campaign {
  readonly random = new Random(SEED);
  readonly chain: SimulatedChain;
  readonly takeovers: number[] = [];
  readonly answers = new Map<string, number>();
  readonly #t: TestContext;
  readonly #server: PostgresTestServer;
  readonly #node: SimulatedNode;
  readonly store: string;
  readonly #indexers: Writing[] = [];

  constructor(t: TestContext, server: PostgresTestServer, node: SimulatedNode, chain: SimulatedChain) {
    this.#t = t;
    this.#server = server;
    this.#node = node;
    this.chain = chain;
    this.store = emptyStore(server.url);
  }

  #run(command: string, store: string, ...args: string[]): Program {
    const data = temporaryDirectory(this.#t);
    return runProgram(this.#t, [
      ...[command, "--rpc", this.#node.url, "--store", store, "--data", data, "--port", "0"],
      ...args,
    ]);
  }

  async addIndexer(): Promise<void> {
    const { proxy, url } = await throughProxy(this.#t, this.#server.url);
    const program = this.#run("index", `${url}${new URL(this.store).search}`, "--poll", "50");
    await program.url();
    this.#indexers.push({ program, proxy });
  }

  serve(): Promise<string> {
    return this.#run("serve", this.store).url();
  }

  /** Asks for what is not cached. */
  async ask(url: string, signal: AbortSignal): Promise<void> {
    for (let number = 0; !signal.aborted; number++) {
      await delay(ASK_INTERVAL);
      const path = `/api/v2/blocks?items_count=${1 + (number % 50)}&at=${number}`;
      const answer = await fetch(url + path, { headers: { connection: "close" } }).then(
        ({ status, headers }) => (status === 503 ? `503 after ${headers.get("retry-after")}` : String(status)),
        (error: Error) => `none: ${error.cause ?? error}`,
      );
      this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1);
    }
  }

  async query<T>(sql: string): Promise<T[]> {
    const client = new pg.Client({ connectionString: this.#server.url });
    await client.connect();
    try {
      return (await client.query(sql.replaceAll("$schema", this.#schema))).rows as T[];
    } finally {
      await client.end();
    }
  }

  get #schema(): string {
    return `${new URL(this.store).searchParams.get("schema")}_index`;
  }

  /** Process id of the writer; undefined while nobody is. */
  async writer(): Promise<number | undefined> {
    const sql = "SELECT holder FROM $schema.writer_lease WHERE until > clock_timestamp()";
    const [row] = await this.query<{ holder: string }>(sql);
    return row && Number(row.holder.split(":").at(-1));
  }

  /** Blocks, and now and then a fork. */
  async live(milliseconds: number): Promise<void> {
    const { chain, random } = this;
    const end = performance.now() + milliseconds;
    for (let left = milliseconds; left > 0; left = end - performance.now()) {
      await delay(Math.min(left, random.between(20, 80)));
      const depth = random.between(1, Math.min(12, chain.length - 1));
      if (random.chance(0.2)) chain.fork(depth, depth + random.int(3));
      else chain.mine(1);
    }
  }

  async fault(kind: Kind): Promise<void> {
    let pid: number | undefined;
    await until(
      "somebody writes",
      async () => {
        pid = await this.writer();
        return pid !== undefined;
      },
      60,
    );
    const at = this.#indexers.findIndex(({ program }) => program.child.pid === pid);
    const { program, proxy } = this.#indexers[at]!;
    if (kind === "cut") return proxy.cut();
    if (kind === "terminate") {
      await this.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'oriel'");
      return;
    }
    if (kind === "restart") {
      await this.#server.crash();
      return this.#server.restart();
    }
    const since = performance.now();
    if (kind === "hang") proxy.hang();
    else program.child.kill(kind === "stop" ? "SIGSTOP" : "SIGKILL");
    const living = this.live(this.random.between(100, 1500));
    await until("another writes", async () => ![undefined, pid].includes(await this.writer()), 60);
    this.takeovers.push((performance.now() - since) / 1000);
    await living;
    if (kind === "hang") proxy.resume();
    else if (kind === "stop") program.child.kill("SIGCONT");
    else {
      this.#indexers.splice(at, 1);
      await this.addIndexer();
    }
  }
}

async function expectFromScratch(t: TestContext, { store: url, chain }: Campaign): Promise<void> {
  const [store, fresh] = [await openStoreReadOnly(url), await openStore(IN_MEMORY, chain.chainId)];
  t.after(() => Promise.all([store.close(), fresh.close()]));
  const indexer = new Indexer({ store: fresh, source: simulatedSource(chain), stages: STAGES });
  while ((await indexer.step()) !== "idle");
  assert.deepEqual(await store.latest.stages(), await fresh.latest.stages());
  assert.deepEqual(await store.read(auditStore), []);
  for (const { stage, events } of AUDITED_STAGES) {
    assert.deepEqual(await store.read((session) => stage.audit(session, events)), []);
  }
  assert.deepEqual(await store.read(fingerprint), await fresh.read(fingerprint));
}

test(`${FAULTS} faults of indexers and their database: another takes over, and the index is the same as from scratch (seed ${SEED})`, async (t) => {
  const server = await startPostgres();
  t.after(() => server.stop());
  const chain = new SimulatedChain({ seed: SEED, traffic: { transactions: [0, 3], sharedBlobs: 1, pools: 1 } });
  const node = await startSimulatedNode(chain);
  t.after(() => node.close());
  const campaign = new Campaign(t, server, node, chain);
  chain.mine(20);
  for (let count = 0; count < (FAULTS > 10 ? 3 : 2); count++) await campaign.addIndexer();
  const url = await campaign.serve();
  const asking = new AbortController();
  const asked = campaign.ask(url, asking.signal);
  const counts = new Map<Kind, number>();
  const isAtHead = async () => {
    const { body, status } = await get(`${url}/status`);
    return status === 200 && (body.indexed as { hash: string } | null)?.hash === chain.head.hash;
  };
  try {
    for (let fault = 0; fault < FAULTS; fault++) {
      const kind = process.env.ORIEL_TAKEOVERS === undefined ? DEFAULT_KINDS[fault % 3]! : campaign.random.pick(KINDS);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      await campaign.live(campaign.random.between(20, 1000));
      await campaign.fault(kind);
      if (campaign.random.chance(0.3) || fault === FAULTS - 1) await until("the head is indexed", isAtHead, 60);
    }
  } finally {
    asking.abort();
    await asked;
  }

  const slowest = Math.max(0, ...campaign.takeovers);
  t.diagnostic(
    `${[...counts].map(([kind, count]) => `${count} ${kind}`)}; ${campaign.takeovers.length} takeovers, the slowest ${slowest.toFixed(1)} s; ${chain.length} blocks; answers ${[...campaign.answers].map(([answer, count]) => `${answer}: ${count}`)}`,
  );
  assert.ok(slowest < MAX_TAKEOVER, `${slowest} s`);
  for (const answer of campaign.answers.keys()) assert.match(answer, /^(200|503 after [1-9]\d*)$/);
  await expectFromScratch(t, campaign);
});
