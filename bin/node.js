#!/usr/bin/env node
// Runs a script with a Node that Oriel supports: this one, or the one that came with `npm ci`.
// Plain JavaScript for Node 18 and later, because the machine's own Node may be older than ours.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const OLDEST = [24, 15];
/** Milliseconds in which a program has to hear a signal: one that hangs never does, and is killed. */
const SIGNAL_TIMEOUT = 2000;
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGSEGV: 11, SIGTERM: 15 };

/** Of the whole program. */
export const PROGRAM_FLAGS = [
  // Bounds the young generation of the main thread: by itself V8 lets it grow to 64 MB and keeps that.
  "--max-semi-space-size=8",
  // V8's helper threads, four by default, do not have the low priority of the indexer that they mostly work for: on few
  // cores requests wait for them. One alone collects garbage too slowly.
  "--v8-pool-size=2",
];

export const PROGRAM_ENVIRONMENT = {
  // Buffers from here on go back to the system when they are freed: by itself glibc raises this up to 32 MiB, and keeps them.
  MALLOC_MMAP_THRESHOLD_: String(2 * 1024 * 1024),
  // Threads share two heaps of C, instead of one for each, whose free parts no other thread can use.
  MALLOC_ARENA_MAX: "2",
};

export function findNode() {
  const name = `node-${process.platform}-${process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/node`);
  } catch {
    const [major, minor] = process.versions.node.split(".").map(Number);
    const supported = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
    return supported ? process.execPath : undefined;
  }
}

export function runNode(args) {
  const node = findNode();
  if (node === undefined) {
    console.error(
      `oriel needs Node ${OLDEST.join(".")} or later (this is ${process.versions.node}); install it, or run npm ci without --omit=optional`,
    );
    process.exit(1);
  }
  const env = {
    // Compiled code is kept between runs, which halves the time to the first answer.
    NODE_COMPILE_CACHE: fileURLToPath(new URL("../node_modules/.cache/oriel", import.meta.url)),
    ...PROGRAM_ENVIRONMENT,
    ...process.env,
  };
  // The channel lets the program notice that the launcher is gone, so that killing the launcher never leaves it behind.
  const child = spawn(node, args, {
    env,
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  let killing;
  let killedFor;
  const pass = (signal) => {
    child.kill(signal);
    killing ??= setTimeout(() => {
      killedFor = signal;
      child.kill("SIGKILL");
    }, SIGNAL_TIMEOUT);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => pass(signal));
  child.on("message", (message) => {
    if (message === "stopping") clearTimeout(killing);
  });
  child.on("error", (error) => {
    console.error(`oriel could not start ${node}: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.exit(128 + (SIGNALS[killedFor ?? signal] ?? 1));
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) runNode(process.argv.slice(2));
