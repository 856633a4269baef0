import { execFile, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import type { PostgresTestServer } from "../support/postgresServer.ts";
import { freePort, NOBODY, USER } from "../support/postgresServer.ts";

/** Nothing needs to survive. Every transaction of the writer is prepared on every worker. */
const SETTINGS = [
  "listen_addresses=127.0.0.1",
  "shared_preload_libraries=citus",
  "wal_level=logical",
  "max_prepared_transactions=400",
  "max_connections=400",
  "max_worker_processes=40",
  "max_locks_per_transaction=4096",
  "shared_buffers=128MB",
  "fsync=off",
  "synchronous_commit=off",
  "full_page_writes=off",
  "citus.node_conninfo=sslmode=disable",
  "citus.recover_2pc_interval=2s",
  "citus.enable_statistics_collection=off",
];

export interface ClusterNode {
  readonly name: string;
  readonly port: number;
  readonly url: string;
}

/**
 * Nodes of Citus on this machine: `programs` is the folder of initdb and pg_ctl of a PostgreSQL with the extension. The
 * first node is the coordinator.
 */
export class CitusCluster {
  readonly nodes: readonly ClusterNode[];
  readonly #programs: string;
  readonly #folder: string;

  private constructor(programs: string, folder: string, nodes: readonly ClusterNode[]) {
    this.#programs = programs;
    this.#folder = folder;
    this.nodes = nodes;
  }

  static async start(programs: string, folder: string, workers: number): Promise<CitusCluster> {
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    if (USER.uid !== undefined) chownSync(folder, NOBODY, NOBODY);
    const nodes: ClusterNode[] = [];
    for (let at = 0; at <= workers; at++) {
      const port = await freePort();
      const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
      nodes.push({ name: at === 0 ? "coordinator" : `worker${at}`, port, url });
    }
    const cluster = new CitusCluster(programs, folder, nodes);
    for (const node of nodes) {
      const data = cluster.#data(node);
      cluster.#run("initdb", [
        "-D",
        data,
        "-U",
        "postgres",
        "--auth=trust",
        "--encoding=UTF8",
        "--no-locale",
        "--no-sync",
      ]);
      cluster.resume(node);
      cluster.sql(node, "CREATE EXTENSION citus");
    }
    cluster.sql(cluster.coordinator, `SELECT citus_set_coordinator_host('127.0.0.1', ${cluster.coordinator.port})`);
    for (const node of cluster.workers) cluster.add(node);
    // New indexes are distributed, in few shards, which are quick to make.
    cluster.sql(cluster.coordinator, "ALTER DATABASE postgres SET oriel.distributed = on");
    cluster.sql(cluster.coordinator, "ALTER DATABASE postgres SET citus.shard_count = 4");
    return cluster;
  }

  get coordinator(): ClusterNode {
    return this.nodes[0]!;
  }

  get workers(): readonly ClusterNode[] {
    return this.nodes.slice(1);
  }

  add({ port }: ClusterNode): void {
    this.sql(this.coordinator, `SELECT citus_add_node('127.0.0.1', ${port})`);
  }

  /** Ends a node at once, as a power failure would. */
  kill(node: ClusterNode): void {
    this.#run("pg_ctl", ["-D", this.#data(node), "stop", "-m", "immediate"]);
  }

  resume(node: ClusterNode): void {
    const settings = [...SETTINGS, `port=${node.port}`, `unix_socket_directories=${this.#folder}`];
    const options = settings.map((setting) => `-c ${setting}`).join(" ");
    this.#run("pg_ctl", [
      "-D",
      this.#data(node),
      "-l",
      join(this.#folder, `${node.name}.log`),
      "-w",
      "-o",
      options,
      "start",
    ]);
  }

  sql(node: ClusterNode, text: string): string {
    return this.#run("psql", ["-d", node.url, "-X", "-At", "-v", "ON_ERROR_STOP=1", "-c", text]);
  }

  /** Beside whatever else is done. */
  async sqlAside(node: ClusterNode, text: string): Promise<string> {
    const { stdout } = await promisify(execFile)(
      join(this.#programs, "psql"),
      ["-d", node.url, "-X", "-At", "-c", text],
      {
        ...USER,
        env: this.#environment,
        cwd: this.#folder,
      },
    );
    return stdout.trim();
  }

  stop(): void {
    for (const node of this.nodes) if (existsSync(join(this.#data(node), "postmaster.pid"))) this.kill(node);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** The files of the user that started it may not be readable to the server. */
  get #environment(): NodeJS.ProcessEnv {
    return { PATH: process.env.PATH, HOME: this.#folder };
  }

  #data({ name }: ClusterNode): string {
    return join(this.#folder, name);
  }

  #run(tool: string, args: readonly string[]): string {
    const ran = spawnSync(join(this.#programs, tool), args, {
      ...USER,
      env: this.#environment,
      cwd: this.#folder,
      encoding: "utf8",
      stdio: ["ignore", tool === "pg_ctl" ? "ignore" : "pipe", "pipe"],
    });
    if (ran.status !== 0) throw new Error(`${tool} failed: ${ran.stderr}`);
    return ran.stdout?.trim() ?? "";
  }
}

/** A cluster as one server of which any node may crash. */
export async function startCitus(programs: string): Promise<PostgresTestServer> {
  const folder = mkdtempSync(join(tmpdir(), "oriel-citus-"));
  const cluster = await CitusCluster.start(programs, folder, 3);
  const stop = () => cluster.stop();
  process.once("exit", stop);
  let crashes = 0;
  let crashed = cluster.coordinator;
  return {
    url: cluster.coordinator.url,
    crash: async () => {
      crashed = cluster.nodes[crashes++ % cluster.nodes.length]!;
      cluster.kill(crashed);
    },
    restart: async () => cluster.resume(crashed),
    replicate: () => Promise.reject(new Error("a cluster is not replicated here")),
    stop: async () => {
      process.off("exit", stop);
      stop();
    },
  };
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: { workers: { type: "string", default: "3" } },
    allowPositionals: true,
  });
  const [programs, folder] = positionals;
  if (programs === undefined || folder === undefined)
    throw new Error("usage: node bin/node.js test/citus/cluster.ts PROGRAMS FOLDER [--workers 3]");
  const cluster = await CitusCluster.start(programs, folder, Number(values.workers));
  console.log(cluster.nodes.map(({ name, url }) => `${name} ${url}`).join("\n"));
  const stop = () => {
    cluster.stop();
    process.exit(0);
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  setInterval(() => {}, 60_000);
}
