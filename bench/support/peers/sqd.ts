import { readFileSync } from "node:fs";
import { join } from "node:path";
import { installPeer, peerVersion } from "./install.ts";
import type { Peer, PeerPlace, RunningPeer } from "./peer.ts";
import { startPeerDatabase } from "./peerDatabase.ts";
import { startPeerProcess } from "./peerProcess.ts";

const version = `evm-processor ${peerVersion("sqd", "@subsquid/evm-processor")}`;

export const SQD: Peer = {
  name: `SQD ${version}, typeorm-store ${peerVersion("sqd", "@subsquid/typeorm-store")}`,
  expects: (all) => all,
  settings:
    "RPC only, all blocks taken as final, default batches and 10 connections; transfers and balances, keys only",
  install: (folder) => installPeer("sqd", folder),
  start,
};

async function start({ folder, rpc }: PeerPlace): Promise<RunningPeer> {
  const database = await startPeerDatabase();
  await database.query(readFileSync(join(folder, "schema.sql"), "utf8"));
  const program = startPeerProcess(process.execPath, {
    args: ["lib/main.js"],
    cwd: folder,
    env: { ...process.env, DB_URL: database.url, RPC_ENDPOINT: rpc },
  });
  return {
    roots: [program.pid, database.pid],
    failure: program.failure,
    indexed: async () => {
      const [table] = await database.query<{ name: string | null }>(
        "SELECT to_regclass('squid_processor.status') AS name",
      );
      if (table!.name === null) return undefined;
      const [status] = await database.query<{ height: number }>("SELECT height FROM squid_processor.status");
      return status?.height;
    },
    balances: () => database.balances("transfer", "balance"),
    databaseBytes: database.bytes,
    stop: async () => {
      await program.stop();
      await database.stop();
    },
  };
}
