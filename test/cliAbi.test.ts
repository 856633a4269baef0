import assert from "node:assert/strict";
import { existsSync, linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { Abi } from "viem";
import { encodeDeployData, encodeFunctionData } from "viem";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { MAX_FILE, MAX_FILES } from "../src/cli/jsonFiles.ts";
import { ContractStore } from "../src/store/contracts/contractStore.ts";
import type { Json } from "./support/api.ts";
import { compileSources, linked, PROJECT, writeFoundry, writeHardhat } from "./support/compiledProject.ts";
import { indexes, rpc, urlsOf } from "./support/networks.ts";
import { get, runProgram, temporaryDirectory } from "./support/program.ts";
import { until } from "./support/waiting.ts";

const contracts = [...compileSources(PROJECT).values()];

/** A directory to work in, and the program in it. */
function open(t: TestContext) {
  const cwd = temporaryDirectory(t);
  const run = (...args: string[]) => runProgram(t, args, { cwd }).ended;
  return { cwd, run };
}

async function namesIn(directory: string): Promise<string[]> {
  const contractStore = await ContractStore.open(directory);
  const names = (await contractStore.list()).map(({ name }) => name);
  await contractStore.close();
  return names;
}

test("artifacts are imported into every network, and again without effect", async (t) => {
  const { cwd, run } = open(t);
  writeHardhat(cwd, contracts);

  const first = await run("abi", "import", "artifacts");
  const again = await run("abi", "import", "artifacts");

  assert.deepEqual([first.code, first.stderr], [0, ""]);
  assert.equal(first.stdout, "mainnet: 8 contracts from artifacts\ntestnet: 8 contracts from artifacts\n");
  assert.match(
    again.stdout,
    /^mainnet: 8 contracts from artifacts, 8 of them already known\ntestnet: 8 [^\n]+known\n$/,
  );
  const expected = contracts.map(({ name }) => name).sort();
  for (const name of ["mainnet", "testnet"]) assert.deepEqual(await namesIn(join(cwd, "data", name)), expected);
});

test("one network can be chosen, and several folders be given", async (t) => {
  const { cwd, run } = open(t);
  writeHardhat(cwd, contracts.slice(0, 2));
  writeFoundry(cwd, contracts);

  const { code, stdout } = await run("abi", "import", "artifacts", "out", "--network", "testnet");

  assert.equal(code, 0);
  assert.equal(stdout, "2 contracts from artifacts\n8 contracts from out, 2 of them already known\n");
  assert.equal(existsSync(join(cwd, "data", "mainnet")), false);
});

test("the index of a plain --rpc is the one that is informed, where no network has one", async (t) => {
  const { cwd, run } = open(t);
  writeFoundry(cwd, contracts);
  mkdirSync(join(cwd, "data"));
  writeFileSync(join(cwd, "data", "index.sqlite"), "");

  const { stdout } = await run("abi", "import", "out");

  assert.equal(stdout, "8 contracts from out\n");
  assert.equal((await namesIn(join(cwd, "data"))).length, 8);
});

test("files that are no artifact are skipped, with a reason if they resemble one", async (t) => {
  const { cwd, run } = open(t);
  const artifacts = writeHardhat(cwd, contracts);
  const file = (name: string) => join(artifacts, name);
  writeFileSync(file("broken.json"), "{");
  writeFileSync(file("package.json"), '{"name": "mine"}');
  writeFileSync(
    file("wrong.json"),
    JSON.stringify({ contractName: "A", sourceName: "a", abi: [7], deployedBytecode: "0x" }),
  );
  writeFileSync(file("bad\u001b[2J.json"), "no");
  writeFileSync(file("huge.json"), Buffer.alloc(MAX_FILE + 1, 32));
  symlinkSync(artifacts, file("loop"));
  symlinkSync(file("broken.json"), file("link.json"));
  mkdirSync(file("node_modules"));
  renameSync(join(artifacts, "build-info", "0123.json"), join(artifacts, "node_modules", "0123.json"));
  mkdirSync(file("folder.json"));

  const { code, stdout, stderr } = await run("abi", "import", "artifacts", "--network", "mainnet");

  assert.equal(code, 0);
  assert.equal(stdout, "8 contracts from artifacts, 5 files skipped\n");
  assert.deepEqual(stderr.trim().split("\n"), [
    "artifacts/bad\ufffd[2J.json is skipped: it is not JSON",
    "artifacts/broken.json is skipped: it is not JSON",
    "artifacts/huge.json is skipped: it is larger than 64 MiB",
    'artifacts/wrong.json is skipped: the ABI cannot be used: an entry is an object, at "number"',
  ]);
});

/** Another name of a file takes less time than another file; file systems allow no more than 65,000 of one. */
const MAX_LINKS = 50_000;

test("a folder over the file limit exits with 1, after reporting what was stored", async (t) => {
  const { cwd, run } = open(t);
  writeHardhat(cwd, contracts);
  const abi = [{ type: "function", name: "f", inputs: [], outputs: [], stateMutability: "view" }];
  for (let i = 0; i < 150; i++) {
    const artifact = { contractName: `A${i}`, sourceName: "a.sol", abi, deployedBytecode: `0x61${1000 + i}00` };
    writeFileSync(join(cwd, "artifacts", `a${i}.json`), JSON.stringify(artifact));
  }
  const nameOf = (i: number) => join(cwd, "artifacts", `b${i}.json`);
  for (let i = 0; i < MAX_FILES; i++) {
    const first = i - (i % MAX_LINKS);
    if (i === first) writeFileSync(nameOf(i), "{}");
    else linkSync(nameOf(first), nameOf(i));
  }

  const { code, stdout, stderr } = await run("abi", "import", "artifacts", "--network", "mainnet");

  assert.equal(code, 1);
  assert.match(stdout, /^100 contracts from artifacts, \d+ files skipped\n$/);
  assert.match(stderr, /^oriel: artifacts has more than 100000 JSON files; name the folder of artifacts\n$/);
  assert.equal((await namesIn(join(cwd, "data", "mainnet"))).length, 100);
});

test("a folder that is not there, is none or has nothing ends with 1, and words that are missing with 2", async (t) => {
  const { cwd, run } = open(t);
  mkdirSync(join(cwd, "empty"));
  writeFileSync(join(cwd, "file"), "");
  const failures: [args: string[], code: number, line: string | RegExp][] = [
    [["import", "absent"], 1, "there is no folder absent"],
    [["import", "file"], 1, "file is no folder"],
    [["import", "empty"], 1, "there is no artifact of hardhat or foundry in empty"],
    [["remove", "Vault"], 1, 'no contract "Vault" was imported'],
    [["import"], 2, /^abi is followed by/],
    [[], 2, /^abi is followed by/],
    [["list", "all"], 2, /^abi is followed by/],
    [["remove"], 2, /^abi is followed by/],
    [["import", "empty", "--rpc", "http://127.0.0.1:1"], 2, /^abi has no --rpc/],
    [["import", "empty", "--network", "other"], 2, /^there is no network "other"/],
  ];

  for (const [args, code, line] of failures) {
    const ending = await run("abi", ...args);
    const [, reported] = /^oriel: ([^\n]+)\n$/.exec(ending.stderr) ?? [];
    assert.ok(reported !== undefined, `${args}: ${ending.stderr}`);
    if (typeof line === "string") assert.equal(reported, line);
    else assert.match(reported, line);
    assert.equal(ending.code, code, reported);
  }
});

test("what was imported is listed, and removed by name or as a whole", async (t) => {
  const { cwd, run } = open(t);
  writeFoundry(cwd, contracts);
  const nothing = await run("abi", "list");
  await run("abi", "import", "out", "--network", "mainnet");

  const listed = await run("abi", "list");
  const removed = await run("abi", "remove", "Vault");
  const all = await run("abi", "remove", "all");

  assert.equal(nothing.stdout, "nothing was imported\n");
  assert.match(
    listed.stdout,
    /^8 contracts\n {2}East {4}contracts\/Twins\.sol {3}\d{4}-\d\d-\d\d \d\d:\d\d {2}1 function, 0 events\n/,
  );
  assert.match(listed.stdout, /^ {2}Vault {3}contracts\/Vault\.sol {3}.* 5 functions, 1 event$/m);
  assert.deepEqual([removed.stdout, all.stdout], ["removed 1 contract\n", "removed 7 contracts\n"]);
  assert.deepEqual(await namesIn(join(cwd, "data", "mainnet")), []);
});

/** Sends from the first account of a development chain, and waits until it is indexed. */
async function send(url: string, transaction: object) {
  const [from] = await rpc<Hex[]>(url, "eth_accounts");
  const hash = await rpc<Hex>(url, "eth_sendTransaction", { from, gas: "0x2dc6c0", ...transaction });
  const receipt = await rpc<{ contractAddress: Hex; blockNumber: Hex }>(url, "eth_getTransactionReceipt", hash);
  await indexes(url, Number(receipt.blockNumber));
  return { hash, address: receipt.contractAddress };
}

/** Deploys a vault that takes 100; answers a call of it that went well, and one that did not. */
async function useVault(url: string) {
  const vault = contracts.find(({ name }) => name === "Vault")!;
  const abi = vault.abi as Abi;
  const { address: Sums } = await send(url, { data: linked(contracts.find(({ name }) => name === "Sums")!, {}) });
  const { address: to } = await send(url, {
    data: encodeDeployData({ abi, bytecode: linked(vault, { Sums }), args: [Sums, 100n] }),
  });
  const deposit = async (amount: bigint) =>
    (await send(url, { to, data: encodeFunctionData({ abi, functionName: "deposit", args: [amount] }) })).hash;
  return { good: await deposit(40n), bad: await deposit(70n) };
}

test("ABIs are imported while the program runs and decode at once, and stay when its chain begins again", async (t) => {
  const { cwd, run } = open(t);
  writeHardhat(cwd, contracts);
  const args = ["start", "--network", "testnet", "--port", "0"];
  const program = runProgram(t, args, { cwd });
  const { testnet } = await urlsOf(program, 1);
  const { good, bad } = await useVault(testnet!);
  const read = async (path: string) => (await get(`${testnet}/api/v2/transactions${path}`)).body;
  const methods = async () => ((await read("")).items as Json[]).map(({ method }) => method);
  assert.ok(!(await methods()).includes("deposit"));

  const imported = await run("abi", "import", "artifacts", "--network", "testnet");

  assert.deepEqual([imported.code, imported.stderr], [0, ""]);
  await until("the list shows names", async () => (await methods()).includes("deposit"), 5);
  assert.equal(((await read(`/${good}`)).decoded_input as Json).method_call, "deposit(uint256 amount)");
  const [log] = (await read(`/${good}/logs`)).items as [{ decoded: Json }];
  assert.equal(log.decoded.method_call, "Deposited(address indexed who, uint256 amount)");
  assert.equal(log.decoded.origin, "abi");
  assert.equal(((await read(`/${bad}`)).revert_reason as Json).method_call, "AboveCap(uint256 amount, uint256 cap)");
  assert.equal((await program.stop()).stderr, "");

  const again = runProgram(t, [...args, "--reset"], { cwd });
  await urlsOf(again, 1);
  assert.equal((await namesIn(join(cwd, "data", "testnet"))).length, 8);
});
