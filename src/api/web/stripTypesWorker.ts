import { stripTypeScriptTypes } from "node:module";
import { parentPort, workerData } from "node:worker_threads";

// Node still warns of the function as an experiment, which is nothing that who runs this can act on.
process.emitWarning = () => {};

parentPort?.postMessage((workerData as readonly string[]).map((source) => stripTypeScriptTypes(source)));
