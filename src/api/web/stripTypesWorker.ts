import { stripTypeScriptTypes } from "node:module";
import { parentPort, workerData } from "node:worker_threads";

// Suppresses Node's experimental warning.
process.emitWarning = () => {};

parentPort?.postMessage((workerData as readonly string[]).map((source) => stripTypeScriptTypes(source)));
