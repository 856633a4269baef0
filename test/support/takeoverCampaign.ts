import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { startCitus } from "../citus/cluster.ts";
import { startPgbouncer } from "./pgbouncer.ts";
import type { PostgresTestServer } from "./postgresServer.ts";
import { emptyStore, startPostgres } from "./postgresServer.ts";
import type { Program } from "./program.ts";
import { runProgram, temporaryDirectory } from "./program.ts";
import { Random } from "./random.ts";
import { SimulatedChain } from "./simulatedChain.ts";
import type { SimulatedNode } from "./simulatedNode.ts";
import { startSimulatedNode } from "./simulatedNode.ts";
import { TcpProxy } from "./tcpProxy.ts";
import { until } from "./waiting.ts";

/** The first five stop the writer until another has taken over, two of them inside a transaction. */
export const WRITER_FAULTS = ["hang", "stop", "stop inside", "kill", "kill inside", "cut", "terminate"] as const;
export type Fault = (typeof WRITER_FAULTS)[number] | "restart" | "promote";

/** Programs of a PostgreSQL with Citus, to run on a cluster. */
export const CITUS = process.env.ORIEL_CITUS;

/** A cluster on one machine commits a block in a tenth of a second or more. */
const PACE = CITUS === undefined ? 1 : 15;

const ASK_INTERVAL = 50;

/** Statements of a transaction after whose beginning its process is stopped. */
const MAX_MESSAGES_INSIDE = 3;

interface Writing {
  readonly program: Program;
  readonly url: string;
  readonly proxy: TcpProxy;
}

/** Several indexers and a process that serves over one database, on which faults are inflicted while blocks arrive. */
export class TakeoverCampaign {
  readonly random: Random;
  readonly chain: SimulatedChain;
  readonly store: string;
  /** Seconds until another process had the lease, and until something was written again. */
  readonly takeovers: number[] = [];
  readonly recoveries: number[] = [];
  readonly answers = new Map<string, number>();
  readonly #t: TestContext;
  readonly #node: SimulatedNode;
  readonly #indexers: Writing[] = [];
  readonly #programs: Program[] = [];
  /** In front of the server, whichever it is. */
  readonly #database: TcpProxy;
  readonly #port: number;
  readonly #parameters: string;
  #server: PostgresTestServer;
  #isOver = false;

  private constructor(parts: CampaignParts) {
    this.#t = parts.t;
    this.random = new Random(parts.seed);
    this.chain = parts.chain;
    this.#node = parts.node;
    this.#database = parts.database;
    this.#server = parts.server;
    this.#port = parts.pooler ?? parts.database.port;
    this.store = emptyStore(`postgres://postgres@127.0.0.1:${parts.database.port}/postgres`);
    this.#parameters = `${new URL(this.store).search}${parts.pooler === undefined ? "" : "&prepare=false"}`;
  }

  /** Through a pgbouncer if its program is given. */
  static async open(t: TestContext, seed: number, pgbouncer?: string): Promise<TakeoverCampaign> {
    const server = CITUS === undefined ? await startPostgres() : await startCitus(CITUS);
    const database = await TcpProxy.open(t, Number(new URL(server.url).port));
    const pooler = pgbouncer === undefined ? undefined : await startPgbouncer(t, pgbouncer, database.port);
    const chain = new SimulatedChain({ seed, traffic: { transactions: [0, 3], sharedBlobs: 1, pools: 1 } });
    const node = await startSimulatedNode(chain);
    t.after(() => node.close());
    const campaign = new TakeoverCampaign({ t, seed, chain, node, server, database, pooler });
    // The first server owns the folder of its replicas.
    t.after(() => campaign.#server.stop().then(() => server.stop()));
    chain.mine(20);
    return campaign;
  }

  async addIndexer(): Promise<void> {
    const proxy = await TcpProxy.open(this.#t, this.#port);
    const program = this.#run("index", proxy.port, "--poll", "50");
    this.#indexers.push({ program, proxy, url: await program.url() });
  }

  serve(): Promise<string> {
    return this.#run("serve", this.#port).url();
  }

  /** URLs of indexers, of which none may have ended. */
  get indexers(): readonly string[] {
    return this.#indexers.map(({ program, url }) => {
      if (program.child.exitCode !== null) throw new Error(`an indexer ended: ${program.stderr.slice(-500)}`);
      return url;
    });
  }

  /** Asks for what is not cached, until the campaign is over. */
  async ask(url: string): Promise<void> {
    for (let number = 0; !this.#isOver; number++) {
      await delay(ASK_INTERVAL);
      const path = `/api/v2/blocks?items_count=${1 + (number % 50)}&at=${number}`;
      const answer = await fetch(url + path, { headers: { connection: "close" } }).then(
        ({ status, headers }) => (status === 503 ? `503 after ${headers.get("retry-after")}` : String(status)),
        (error: Error) => `none: ${error.cause ?? error}`,
      );
      this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1);
    }
  }

  end(): void {
    this.#isOver = true;
  }

  /** What each process said last and says of itself. */
  async describe(): Promise<string> {
    const parts = await Promise.all(
      this.#programs.map(async (program) => {
        const status = await program
          .url()
          .then((url) => fetch(`${url}/status`, { signal: AbortSignal.timeout(5000) }))
          .then((response) => response.text())
          .catch(String);
        return `${program.child.pid}: ${program.stdout.slice(-600)}\n${program.stderr.slice(-600)}\n${status}`;
      }),
    );
    const sql =
      "SELECT pid, state, now() - state_change AS since, wait_event, left(query, 200) AS query FROM pg_stat_activity WHERE application_name = 'oriel'";
    return `${parts.join("\n\n")}\n${JSON.stringify(await this.#query(sql), null, 1)}`;
  }

  /** Blocks, and now and then a fork. */
  async live(milliseconds: number): Promise<void> {
    const { chain, random } = this;
    const end = performance.now() + milliseconds;
    for (let left = milliseconds; left > 0; left = end - performance.now()) {
      await delay(Math.min(left, random.between(20, 80) * PACE));
      const depth = random.between(1, Math.min(12, chain.length - 1));
      if (random.chance(0.2)) chain.fork(depth, depth + random.int(3));
      else chain.mine(1);
    }
  }

  async inflict(fault: Fault): Promise<void> {
    let pid: number | undefined;
    const isWritten = async () => {
      pid = await this.#writer();
      return pid !== undefined;
    };
    await until("somebody writes", isWritten, 60);
    const since = performance.now();
    const writer = this.#indexers.find(({ program }) => program.child.pid === pid)!;
    if (fault === "promote") await this.#promote();
    else if (fault === "restart") {
      await this.#server.crash();
      await this.#server.restart();
    } else if (fault === "cut") writer.proxy.cut();
    else if (fault === "terminate") await this.#query(TERMINATE);
    else return this.#replace(writer, fault);
    const back = performance.now();
    await this.#untilWritten(await this.#version(), fault === "promote" ? back : since);
  }

  async #replace(writer: Writing, fault: Fault): Promise<void> {
    const { program, proxy } = writer;
    const signal = fault.startsWith("stop") ? "SIGSTOP" : "SIGKILL";
    if (fault.endsWith("inside")) await this.#signalInside(writer, signal);
    else if (fault === "hang") proxy.hang();
    else program.child.kill(signal);
    const since = performance.now();
    const living = this.live(this.random.between(100, 1500));
    await until("another writes", async () => ![undefined, program.child.pid].includes(await this.#writer()), 60);
    this.takeovers.push((performance.now() - since) / 1000);
    await living;
    await this.#untilWritten(await this.#version(), since);
    if (fault === "hang") proxy.resume();
    else if (signal === "SIGSTOP") program.child.kill("SIGCONT");
    else {
      this.#indexers.splice(this.#indexers.indexOf(writer), 1);
      this.#programs.splice(this.#programs.indexOf(program), 1);
      await this.addIndexer();
    }
  }

  /** After some statements of a transaction that writes. */
  async #signalInside({ program, proxy }: Writing, signal: NodeJS.Signals): Promise<void> {
    const inside = new Map<unknown, number>();
    const after = this.random.int(MAX_MESSAGES_INSIDE);
    let isSent = false;
    proxy.onMessage = (data, client) => {
      if (data.includes("BEGIN ISOLATION LEVEL READ COMMITTED\0")) inside.set(client, 0);
      const count = inside.get(client);
      if (count === undefined) return "pass";
      inside.set(client, count + 1);
      if (count === after) isSent = program.child.kill(signal);
      if (data.includes("COMMIT\0")) inside.delete(client);
      return "pass";
    };
    while (!isSent) await this.live(50);
    proxy.onMessage = () => "pass";
  }

  async #untilWritten(version: number, since: number): Promise<void> {
    const isWritten = async () => {
      this.chain.mine(1);
      await delay(ASK_INTERVAL);
      return (await this.#version()) > version;
    };
    await until("something is written", isWritten, 60);
    this.recoveries.push((performance.now() - since) / 1000);
  }

  /** Of a replica that did not get the last commits. */
  async #promote(): Promise<void> {
    const primary = this.#server;
    const replica = await primary.replicate();
    const isStreaming = "SELECT 1 FROM pg_stat_wal_receiver WHERE status = 'streaming'";
    await until("it streams", async () => (await this.#query(isStreaming, replica.url)).length === 1, 60);
    await this.live(1000);
    await this.#query("ALTER SYSTEM SET primary_conninfo = ''", replica.url);
    await this.#query("SELECT pg_reload_conf()", replica.url);
    const isCut = async () => (await this.#query("SELECT 1 FROM pg_stat_wal_receiver", replica.url)).length === 0;
    await until("replication ends", isCut, 60);
    const version = await this.#version();
    const commits = async () => {
      await this.live(200);
      return (await this.#version()) > version + 1;
    };
    await until("there are commits that the replica lacks", commits, 60);
    await primary.crash();
    await this.#query("SELECT pg_promote()", replica.url);
    this.#server = replica;
    this.#database.target = Number(new URL(replica.url).port);
    this.#database.cut();
  }

  /** Process id of the writer; undefined while nobody is. */
  async #writer(): Promise<number | undefined> {
    const sql = "SELECT holder FROM $schema.writer_lease WHERE until > clock_timestamp()";
    const [row] = await this.#query<{ holder: string }>(sql);
    return row && Number(row.holder.split(":").at(-1));
  }

  async #version(): Promise<number> {
    const [row] = await this.#query<{ version: string }>("SELECT version FROM $schema.database_version");
    return Number(row!.version);
  }

  async #query<T>(sql: string, url = this.#server.url): Promise<T[]> {
    const client = new pg.Client({ connectionString: url });
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

  #run(command: string, port: number, ...args: string[]): Program {
    const data = temporaryDirectory(this.#t);
    const store = `postgres://postgres@127.0.0.1:${port}/postgres${this.#parameters}`;
    const settings = ["--rpc", this.#node.url, "--store", store, "--data", data, "--port", "0", ...args];
    const program = runProgram(this.#t, [command, ...settings]);
    this.#programs.push(program);
    return program;
  }
}

const TERMINATE = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'oriel'";

interface CampaignParts {
  readonly t: TestContext;
  readonly seed: number;
  readonly chain: SimulatedChain;
  readonly node: SimulatedNode;
  readonly server: PostgresTestServer;
  readonly database: TcpProxy;
  readonly pooler: number | undefined;
}
