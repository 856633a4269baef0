import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { freePort, NOBODY, USER } from "./postgresServer.ts";
import type { Cleaning } from "./program.ts";
import { until } from "./waiting.ts";

/** Starts a pgbouncer in transaction mode in front of a server. Returns its port. */
export async function startPgbouncer(t: Cleaning, program: string, server: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "oriel-pgbouncer-"));
  const port = await freePort();
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(file, settingsOf(folder, port, server));
  if (USER.uid !== undefined) chownSync(folder, NOBODY, NOBODY);
  const child = spawn(program, ["-q", file], { ...USER, stdio: "ignore" });
  t.after(async () => {
    const exited = once(child, "exit");
    if (child.exitCode === null && child.kill("SIGKILL")) await exited;
    rmSync(folder, { recursive: true, force: true });
  });
  await until("pgbouncer accepts connections", () => {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended with code ${child.exitCode}`);
    const client = new pg.Client({ connectionString: `postgres://postgres@127.0.0.1:${port}/postgres` });
    return client.connect().then(
      () => client.end().then(() => true),
      () => false,
    );
  });
  return port;
}

/** As docs/operations.md advises: by default a lost server is tried again after 15 seconds. */
const settingsOf = (folder: string, port: number, server: number) => `[databases]
* = host=127.0.0.1 port=${server} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir = ${folder}
auth_type = any
pool_mode = transaction
max_client_conn = 300
default_pool_size = 60
server_login_retry = 1
`;
