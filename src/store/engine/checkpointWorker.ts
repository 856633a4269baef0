import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";

/** Thread entry point: at each message copies the write-ahead log of a database into its file, and answers. */
const database = new DatabaseSync(workerData as string, { timeout: 0 });
// Like the writer's, so that a checkpoint syncs the log before the file.
database.exec("PRAGMA synchronous = NORMAL; PRAGMA cache_size = -1024;");
const checkpoint = database.prepare("PRAGMA wal_checkpoint(PASSIVE)");

parentPort!.on("message", () => {
  checkpoint.all();
  parentPort!.postMessage("done");
});
