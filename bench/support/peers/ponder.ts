import { freePort } from "../../../test/support/postgresServer.ts";
import { installPeer, peerVersion } from "./install.ts";
import type { Peer, PeerPlace, RunningPeer } from "./peer.ts";
import { startPeerDatabase } from "./peerDatabase.ts";
import { startPeerProcess } from "./peerProcess.ts";

export const PONDER: Peer = {
  name: `Ponder ${peerVersion("ponder", "ponder")}`,
  expects: (all) => all,
  settings: "`ponder start` on PostgreSQL with its defaults, all blocks final; caches what it fetches in its database",
  install: (folder) => installPeer("ponder", folder),
  start,
};

async function start({ folder, rpc, last }: PeerPlace): Promise<RunningPeer> {
  const database = await startPeerDatabase();
  const port = await freePort();
  const program = startPeerProcess(process.execPath, {
    args: ["node_modules/ponder/dist/esm/bin/ponder.js", "start", "--schema", "transfers", "--port", String(port)],
    cwd: folder,
    env: {
      ...process.env,
      DATABASE_URL: database.url,
      PONDER_RPC_URL_677: `${rpc}/final`,
      LAST_BLOCK: String(last),
      PONDER_TELEMETRY_DISABLED: "true",
    },
  });
  return {
    roots: [program.pid, database.pid],
    failure: program.failure,
    indexed: async () => {
      const response = await fetch(`http://127.0.0.1:${port}/status`).catch(() => undefined);
      if (!response?.ok) return undefined;
      const status = (await response.json()) as { bench?: { block?: { number: number } } };
      return status.bench?.block?.number;
    },
    balances: () => database.balances("transfers.transfer", "transfers.balance"),
    databaseBytes: database.bytes,
    stop: async () => {
      await program.stop();
      await database.stop();
    },
  };
}
