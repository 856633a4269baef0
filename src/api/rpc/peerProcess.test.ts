import assert from "node:assert/strict";
import type { ChildProcess, SpawnOptions } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { AddressInfo, Socket } from "node:net";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/program.ts";
import { threadCpuMs } from "../../../test/support/threadCpu.ts";
import { findPeerProcess } from "./peerProcess.ts";

const skip = process.platform !== "linux" && "needs /proc";
const isRoot = process.getuid?.() === 0;

async function listen(t: TestContext, host: string) {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const accept = async () => {
    const [socket] = (await once(server, "connection")) as [Socket];
    t.after(() => socket.destroy());
    return socket;
  };
  return { port, accept };
}

function run(t: TestContext, script: string, options: SpawnOptions = {}): ChildProcess {
  return start(t, ["-e", script], options);
}

function start(t: TestContext, args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  const child = spawn(process.execPath, args, { stdio: "ignore", ...options });
  t.after(async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });
  return child;
}

const connecting = (port: number, host: string) => `require("net").connect(${port}, "${host}");`;
const listening = (host: string) => `require("net").createServer().listen(0, "${host}");`;

for (const [host, client] of [
  ["127.0.0.1", "127.0.0.1"],
  ["::", "127.0.0.1"],
  ["::1", "::1"],
  ["::", "::ffff:127.0.0.1"],
] as const) {
  test(`a client of ${client} on a server of ${host} is found by its process`, { skip }, async (t) => {
    const { port, accept } = await listen(t, host);
    const child = run(t, connecting(port, client));

    const peer = await findPeerProcess(await accept());

    assert.deepEqual(peer, { uid: process.getuid?.(), pid: child.pid, isServer: false });
  });
}

test("a connection of this process is its own", { skip }, async (t) => {
  const { port, accept } = await listen(t, "127.0.0.1");
  const client = connect(port, "127.0.0.1");
  t.after(() => client.destroy());

  assert.equal((await findPeerProcess(await accept()))?.pid, process.pid);
});

test("a client that listens on all interfaces is a server, one that listens on loopback is not", {
  skip,
}, async (t) => {
  const { port, accept } = await listen(t, "127.0.0.1");
  const peerOf = async (host: string) => {
    run(t, `${listening(host)} setTimeout(() => { ${connecting(port, "127.0.0.1")} }, 100)`);
    return findPeerProcess(await accept());
  };

  for (const host of ["0.0.0.0", "::"]) assert.equal((await peerOf(host))?.isServer, true, host);
  for (const host of ["127.0.0.1", "127.9.9.9", "::1"]) assert.equal((await peerOf(host))?.isServer, false, host);
});

test("a worker whose parent listens for it is a server", { skip }, async (t) => {
  const { port, accept } = await listen(t, "127.0.0.1");
  const script = join(temporaryDirectory(t), "cluster.cjs");
  writeFileSync(
    script,
    `const cluster = require("cluster");
     const listen = () => require("http").createServer().listen(0, "0.0.0.0");
     if (cluster.isPrimary) cluster.fork(); else listen().on("listening", () => { ${connecting(port, "127.0.0.1")} })`,
  );
  start(t, [script]);

  assert.equal((await findPeerProcess(await accept()))?.isServer, true);
});

test("a client of another user is identified by its uid", { skip: skip || (!isRoot && "needs root") }, async (t) => {
  const { port, accept } = await listen(t, "127.0.0.1");
  const child = run(t, connecting(port, "127.0.0.1"), { uid: 65_534, gid: 65_534 });

  const { uid, pid } = (await findPeerProcess(await accept()))!;

  assert.deepEqual([uid, pid], [65_534, child.pid]);
});

test("a connection that has ended has no process", { skip }, async (t) => {
  const { port, accept } = await listen(t, "127.0.0.1");
  const client = connect(port, "127.0.0.1");
  const accepted = await accept();
  client.destroy();
  await once(client, "close");
  accepted.destroy();
  await once(accepted, "close");

  assert.equal(await findPeerProcess(accepted), undefined);
});

test("many connections at once are found by few readings of /proc", { skip }, async (t) => {
  const { port, accept } = await listen(t, "127.0.0.1");
  const sockets: Socket[] = [];
  for (let count = 0; count < 60; count++) {
    const client = connect(port, "127.0.0.1");
    t.after(() => client.destroy());
    sockets.push(await accept());
  }
  const timed = async (work: () => Promise<unknown>) => {
    const before = threadCpuMs();
    await work();
    return threadCpuMs() - before;
  };

  const alone = await timed(async () => {
    for (const socket of sockets) await findPeerProcess(socket);
  });
  const together = await timed(async () => {
    for (const peer of await Promise.all(sockets.map(findPeerProcess))) assert.equal(peer?.pid, process.pid);
  });

  assert.ok(together < alone / 3, `${together.toFixed(1)} ms, and ${alone.toFixed(1)} ms one after another`);
});
