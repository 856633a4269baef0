import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { privateKeyToAccount } from "viem/accounts";
import { ask } from "./support/networkProgram.ts";
import { indexedAt, indexes, urlsOf } from "./support/networks.ts";
import { get, LAUNCHER, runProgram, temporaryDirectory } from "./support/program.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import { startSimulatedNode } from "./support/simulatedNode.ts";
import { Honest } from "./support/trial.ts";

async function rpc(url: string, method: string, params: unknown[] = [], origin?: string): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "content-type": "application/json", connection: "close", ...(origin && { origin }) };
  const response = await fetch(`${url}/rpc`, { method: "POST", body, headers });
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (error !== undefined) throw new Error(error.message);
  return result;
}

/** A transfer of one wei by the first of the accounts that a start shows. */
function signTransfer(shown: string, chainId: number): Promise<string> {
  const account = privateKeyToAccount(/0x[0-9a-f]{64}/.exec(shown)![0] as `0x${string}`);
  const fees = { gas: 21_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
  return account.signTransaction({ type: "eip1559", chainId, nonce: 0, to: account.address, value: 1n, ...fees });
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) =>
          server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
        ),
    ),
  );
  for (const server of servers) server.close();
  return ports;
}

function writeConfig(t: TestContext, content: object): string {
  const config = join(temporaryDirectory(t), "oriel.json");
  writeFileSync(config, JSON.stringify(content));
  return config;
}

test("start gives two networks on chains of their own, which stay when it is started again", async (t) => {
  const data = temporaryDirectory(t);
  const args = ["start", "--port", "0", "--data", data, "--poll", "50"];
  const program = runProgram(t, args, { script: LAUNCHER });
  const { mainnet, testnet } = await urlsOf(program);

  assert.deepEqual([await rpc(mainnet!, "eth_chainId"), await rpc(testnet!, "eth_chainId")], ["0x2a5", "0x3c8"]);
  await Promise.all([indexes(mainnet!, 0), indexes(testnet!, 0)]);
  const hash = await rpc(mainnet!, "eth_sendRawTransaction", [await signTransfer(program.stdout, 677)]);
  await indexes(mainnet!, 1);
  const sent = await get(`${mainnet}/api/v2/transactions/${hash}`);
  assert.deepEqual([sent.status, sent.body.status, sent.body.value], [200, "ok", "1"]);
  assert.equal(await indexedAt(testnet!), 0);
  await assert.rejects(rpc(testnet!, "evm_mine", [], "https://page.example"), /does not exist/);
  const { code, stderr } = await program.stop("SIGTERM");
  assert.deepEqual([code, stderr], [143, ""]);
  for (const name of ["mainnet", "testnet"]) {
    for (const file of ["index.sqlite", "node.sqlite"]) assert.ok(existsSync(join(data, name, file)), file);
  }

  const again = await urlsOf(runProgram(t, args));
  assert.equal(await rpc(again.mainnet!, "eth_blockNumber"), "0x1");
  await indexes(again.mainnet!, 1);
});

test("what start says fits a screen and has all one needs to begin", async (t) => {
  const data = temporaryDirectory(t);
  const program = runProgram(t, ["start", "--port", "0", "--data", data]);
  const { mainnet, testnet } = await urlsOf(program);
  const lines = program.stdout.split("\n");

  const shown = lines.slice(0, lines.findIndex((line) => line.startsWith("To begin again")) + 1);
  assert.ok(shown.length <= 24, `${shown.length} lines`);
  for (const line of shown) assert.ok(line.replaceAll(data, "data").length <= 120, line);
  const text = shown.join("\n");
  for (const part of [`${mainnet}/rpc`, `${testnet}/rpc`, "chain 677", "chain 968", join(data, "mainnet")]) {
    assert.ok(text.includes(part), part);
  }
  assert.match(text, /for development only/);
  assert.match(
    text,
    /0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 {2}0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80/,
  );
  assert.ok(!program.stdout.includes("\x1b"));
});

test("one network alone, with accounts of one's own, whose keys are not shown", async (t) => {
  const data = temporaryDirectory(t);
  const words = "legal winner thank year wave sausage worth useful legal winner thank yellow";
  const args = ["start", "--network", "testnet", "--port", "0", "--data", data, "--mnemonic", words, "--accounts", "2"];
  const program = runProgram(t, args);
  const { testnet } = await urlsOf(program, 1);

  const accounts = (await rpc(testnet!, "eth_accounts")) as string[];
  assert.equal(accounts.length, 2);
  for (const account of accounts) assert.ok(program.stdout.toLowerCase().includes(account));
  assert.doesNotMatch(program.stdout, /0x[0-9a-f]{64}|legal/);
  assert.ok(!existsSync(join(data, "mainnet")));
});

test("a file holds networks on nodes: when one node is gone, the other network never notices", async (t) => {
  const chains = [3, 4].map((seed) => new SimulatedChain({ seed }));
  const nodes = await Promise.all(chains.map((chain) => startSimulatedNode(chain)));
  t.after(() => Promise.all(nodes.map((node) => node.close())));
  for (const chain of chains) chain.mine(20);
  const data = temporaryDirectory(t);
  const [one, two] = nodes.map(({ url }) => ({ rpc: url, "chain-id": 677 }));
  const config = writeConfig(t, { data, port: 0, poll: 50, networks: { one, two } });
  const program = runProgram(t, ["start", "--config", config]);
  const urls = await urlsOf(program);
  await Promise.all([indexes(urls.one!, 20), indexes(urls.two!, 20)]);

  nodes[0]!.faults.set({ transport: ["unavailable"] });
  chains[1]!.mine(2);
  await indexes(urls.two!, 22);
  assert.equal((await get(`${urls.one}/api/v2/blocks/3`)).status, 200);
  await assert.rejects(ask(urls.one!, "eth_gasPrice"), /the node cannot be reached/);
  assert.match(program.stdout, /^two: block \d+ of \d+/m);

  await program.stop();
  await new Honest([chains[1]!]).expectIn(join(data, "two"));
});

test("status shows every network, running or not; audit and backup take --network", async (t) => {
  const data = temporaryDirectory(t);
  const [first, second] = await freePorts(2);
  const config = writeConfig(t, { data, networks: { mainnet: { port: first }, testnet: { port: second } } });
  const run = (...args: string[]) => runProgram(t, [...args, "--config", config]).ended;
  const nothing = await run("status");
  const program = runProgram(t, ["start", "--network", "mainnet", "--config", config]);
  const { mainnet } = await urlsOf(program, 1);
  await indexes(mainnet!, 0);

  const running = await run("status");
  const audited = await run("audit");
  await program.stop();
  const other = runProgram(t, ["start", "--network", "testnet", "--config", config]);
  await indexes((await urlsOf(other, 1)).testnet!, 0);
  const copy = join(data, "copy");
  const [unclear, named] = [
    await run("backup", "--to", copy),
    await run("backup", "--to", copy, "--network", "testnet"),
  ];

  assert.equal(nothing.code, 0);
  assert.match(nothing.stdout, /^mainnet\n {2}server +none on \S+\n {2}index +there is no index in .*\n\ntestnet\n/);
  assert.match(running.stdout, new RegExp(`^mainnet\n  server +http:.*:${first}\n  chain +677 \\(Mainnet\\)`));
  assert.match(running.stdout, /\n\ntestnet\n {2}server +none/);
  assert.deepEqual([audited.code, audited.stdout.split("\n").at(-2)], [0, "no differences"]);
  assert.deepEqual([unclear.code, unclear.stderr.split("\n").length], [2, 2]);
  assert.match(unclear.stderr, /choose one with --network: mainnet, testnet/);
  assert.deepEqual([named.code, named.stderr, existsSync(copy)], [0, "", true]);
});

test("a network that cannot start ends them all with the reason", async (t) => {
  const data = temporaryDirectory(t);
  const ports = await freePorts(2);
  const networks = { mainnet: { port: ports[0] }, testnet: { port: ports[1] } };
  const config = writeConfig(t, { data, networks });
  const program = runProgram(t, ["start", "--config", config]);
  await urlsOf(program);

  const locked = await runProgram(t, ["start", "--port", "0", "--data", data]).ended;
  const taken = await runProgram(t, ["start", "--config", config, "--data", temporaryDirectory(t)]).ended;

  assert.match(locked.stderr, /^oriel: another oriel is running[^\n]*\n$/);
  assert.match(taken.stderr, /^oriel: cannot serve on 127\.0\.0\.1:\d+: the port is in use[^\n]*\n$/);
  assert.deepEqual([locked.code, taken.code], [1, 2]);
  assert.equal(await rpc(`http://127.0.0.1:${ports[1]}`, "eth_chainId"), "0x3c8");
});

test("--reset begins the embedded chains again, and leaves alone one that runs or follows a node", async (t) => {
  const data = temporaryDirectory(t);
  const args = ["start", "--network", "testnet", "--port", "0", "--data", data];
  const program = runProgram(t, args);
  const { testnet } = await urlsOf(program, 1);
  await rpc(testnet!, "evm_mine");
  await indexes(testnet!, 1);

  const running = await runProgram(t, [...args, "--reset"]).ended;
  assert.equal(await rpc(testnet!, "eth_blockNumber"), "0x1");
  await program.stop();
  const again = runProgram(t, [...args, "--reset"]);
  const url = (await urlsOf(again, 1)).testnet!;
  await indexes(url, 0);
  const following = await runProgram(t, ["start", "--rpc", "http://127.0.0.1:1", "--reset", "--data", data]).ended;

  assert.match(running.stderr, /^oriel: another process has the chain in \S+ open\n$/);
  assert.equal(await rpc(url, "eth_blockNumber"), "0x0");
  assert.deepEqual([running.code, following.code], [1, 2]);
  assert.match(following.stderr, /--reset is for embedded chains/);
});
