import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { freePort } from "../../../test/support/postgresServer.ts";
import { installPeer, peerVersion, runTool } from "./install.ts";
import type { Peer, PeerPlace, RunningPeer } from "./peer.ts";
import { startPeerDatabase } from "./peerDatabase.ts";
import { startPeerProcess } from "./peerProcess.ts";

export const ENVIO: Peer = {
  name: `Envio HyperIndex ${peerVersion("envio", "envio")}`,
  expects: (all) => all,
  settings: "`envio start` over RPC on PostgreSQL without Hasura, Node 22, preloading handlers, no rollback on reorgs",
  install,
  start,
};

/** Generating its code takes pnpm, and is done once. */
async function install(folder: string): Promise<string> {
  const target = await installPeer("envio", folder);
  if (!existsSync(configured(target))) {
    const env = { ...environment(target), ENVIO_RPC_URL: "http://127.0.0.1:1" };
    await runTool(binary(target), ["codegen"], join(target, "project"), env);
  }
  return target;
}

/** The compiled configuration, which holds the URL of the node. */
const configured = (folder: string) => join(folder, "project/generated/src/Generated.res.js");

const binary = (folder: string) => join(folder, `node_modules/envio-linux-${process.arch}/bin/envio`);

/** It does not run on Node 24 and later. */
function environment(folder: string): NodeJS.ProcessEnv {
  const node = createRequire(join(folder, "package.json")).resolve(`node-linux-${process.arch}/bin/node`);
  const path = [dirname(node), join(folder, "node_modules/.bin"), process.env.PATH].join(delimiter);
  return { ...process.env, PATH: path, CI: "true", npm_config_store_dir: join(folder, "store") };
}

async function start({ folder, rpc }: PeerPlace): Promise<RunningPeer> {
  const file = configured(folder);
  writeFileSync(file, readFileSync(file, "utf8").replace(/url: "http:[^"]*"/, `url: "${rpc}"`));
  const database = await startPeerDatabase();
  const { hostname, port, username, pathname } = new URL(database.url);
  const program = startPeerProcess(binary(folder), {
    args: ["start", "-r"],
    cwd: join(folder, "project"),
    env: {
      ...environment(folder),
      ENVIO_RPC_URL: rpc,
      ENVIO_PG_HOST: hostname,
      ENVIO_PG_PORT: port,
      ENVIO_PG_USER: username,
      ENVIO_PG_DATABASE: pathname.slice(1),
      ENVIO_HASURA: "false",
      ENVIO_INDEXER_PORT: String(await freePort()),
      TUI_OFF: "true",
    },
  });
  return {
    roots: [program.pid, database.pid],
    failure: program.failure,
    indexed: async () => {
      const [table] = await database.query<{ name: string | null }>("SELECT to_regclass('envio_chains') AS name");
      if (table!.name === null) return undefined;
      const [chain] = await database.query<{ block: number }>("SELECT progress_block AS block FROM envio_chains");
      return chain?.block;
    },
    balances: () => database.balances('"Transfer"', '"Balance"'),
    databaseBytes: database.bytes,
    stop: async () => {
      await program.stop();
      await database.stop();
    },
  };
}
