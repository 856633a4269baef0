import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { temporaryDirectory } from "../../test/support/program.ts";
import { readInvocation } from "../invocation.ts";
import type { Target } from "./networks.ts";
import { indexToRead, networksToInform, networksToShow, networksToStart } from "./networks.ts";

function openData(t: TestContext, ...places: string[]) {
  const data = temporaryDirectory(t);
  for (const place of places) {
    mkdirSync(join(data, place), { recursive: true });
    writeFileSync(join(data, place, "index.sqlite"), "");
  }
  const read = (...args: string[]) => readInvocation([...args, "--data", data], {});
  return { data, read };
}

const names = (targets: readonly Target[]) => targets.map(({ name }) => name);

const NODE = ["--rpc", "http://127.0.0.1:1"];

test("start takes the node of --rpc, else all networks or the one that is named", (t) => {
  const { read, data } = openData(t);

  assert.deepEqual(names(networksToStart(read("start"))), ["mainnet", "testnet"]);
  assert.deepEqual(names(networksToStart(read("start", "--network", "testnet"))), ["testnet"]);
  const [plain] = networksToStart(read("start", ...NODE));
  assert.deepEqual([plain!.name, plain!.settings.data], [undefined, data]);
  const [named] = networksToStart(read("start", ...NODE, "--network", "testnet"));
  assert.deepEqual([named!.name, named!.settings.rpc], ["testnet", [NODE[1]]]);
  assert.equal(named!.settings.data, join(data, "testnet"));
});

test("start refuses networks that would get in each other's way, or have no chain", (t) => {
  const { data, read } = openData(t);
  const written = (networks: object) => {
    const config = join(data, "oriel.json");
    writeFileSync(config, JSON.stringify({ networks }));
    return () => networksToStart(readInvocation(["start", "--config", config], {}));
  };

  assert.throws(() => networksToStart(read("start", "--port", "7000")), {
    code: "invalid_argument",
    message: /"mainnet" and "testnet" would both serve on port 7000 of 127\.0\.0\.1: pick one with --network/,
  });
  assert.equal(networksToStart(read("start", "--port", "0")).length, 2);
  assert.throws(written({ mainnet: { data: "x" }, testnet: { data: "./x" } }), /would both keep their data in/);
  assert.throws(written({ side: {} }), /the network "side" needs a chain-id for a chain of its own, or the rpc/);
  assert.equal(written({ side: { "chain-id": 5 }, main: { port: 1, rpc: "http://127.0.0.1:1" } })().length, 2);
});

test("one network of a file can be compatible with another explorer, and no other word is taken", (t) => {
  const { data, read } = openData(t);
  const config = join(data, "oriel.json");
  writeFileSync(config, JSON.stringify({ networks: { mainnet: { compat: "blockscout" }, testnet: {} } }));

  const targets = networksToStart(readInvocation(["start", "--config", config], {}));

  assert.deepEqual(
    targets.map(({ settings }) => settings.compat),
    ["blockscout", "none"],
  );
  assert.throws(() => read("start", "--compat", "etherscan"), /--compat must be one of none, blockscout/);
});

test("audit and backup take the only index there is, or the one that is named", async (t) => {
  const { read, data } = openData(t, "mainnet");

  assert.equal((await indexToRead(read("audit"))).settings.data, join(data, "mainnet"));
  assert.equal((await indexToRead(read("audit", "--network", "testnet"))).settings.data, join(data, "testnet"));
  assert.equal((await indexToRead(read("audit", ...NODE))).settings.data, data);
  assert.equal((await indexToRead(openData(t).read("audit"))).name, undefined);
});

test("of several indexes one must be named, unless the directory itself is one", async (t) => {
  const several = openData(t, "mainnet", "testnet");
  const plain = openData(t, "", "mainnet", "testnet");

  await assert.rejects(indexToRead(several.read("backup")), {
    code: "invalid_argument",
    message: /choose one with --network: mainnet, testnet/,
  });
  assert.equal((await indexToRead(plain.read("backup"))).settings.data, plain.data);
  assert.equal((await indexToRead(plain.read("backup", "--network", "testnet"))).name, "testnet");
});

test("status shows every network, or the one without a name where there is no other", async (t) => {
  assert.deepEqual(names(await networksToShow(openData(t).read("status"))), ["mainnet", "testnet"]);
  assert.deepEqual(names(await networksToShow(openData(t, "", "testnet").read("status"))), ["mainnet", "testnet"]);
  assert.deepEqual(names(await networksToShow(openData(t, "").read("status"))), [undefined]);
  assert.deepEqual(names(await networksToShow(openData(t, "").read("status", "--network", "testnet"))), ["testnet"]);
  assert.deepEqual(names(await networksToShow(openData(t).read("status", "--port", "7000"))), [undefined]);
});

test("abi is about all networks, and about the one of a plain --rpc where it has an index", async (t) => {
  const about = async (places: readonly string[], args: readonly string[] = [], environment = {}) => {
    const { data } = openData(t, ...places);
    return names(await networksToInform(readInvocation(["abi", "list", ...args, "--data", data], environment)));
  };

  assert.deepEqual(await about([]), ["mainnet", "testnet"]);
  assert.deepEqual(await about(["mainnet"]), ["mainnet", "testnet"]);
  assert.deepEqual(await about(["."]), [undefined]);
  assert.deepEqual(await about([".", "testnet"]), ["mainnet", "testnet", undefined]);
  assert.deepEqual(await about([".", "testnet"], ["--network", "mainnet"]), ["mainnet"]);
  assert.deepEqual(await about([], [], { ORIEL_RPC: "http://127.0.0.1:1" }), [undefined]);
});
