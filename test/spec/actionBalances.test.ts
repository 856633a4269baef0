import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { after, before, test } from "node:test";
import type { Hex } from "../../src/chain/encoding/hex.ts";
import { DevelopmentNode } from "../support/developmentNode.ts";
import { FollowedChain } from "../support/followedChain.ts";
import { coins, goods } from "../support/tokenArtifacts.ts";

interface Answer {
  readonly status: string;
  readonly message: string;
  readonly result: unknown;
}

let followed: FollowedChain;
let coin: Hex;
let good: Hex;
const closing: (() => unknown)[] = [];

/** A chain on which coins and money move in each block. */
before(async () => {
  const chain = await DevelopmentNode.open();
  const [me, other] = [chain.account.address, chain.other.address];
  const deploy = async (data: Hex) => {
    const hash = await chain.send({ to: undefined, data, gas: 6_000_000n });
    return (await chain.ask<{ contractAddress: Hex }>("eth_getTransactionReceipt", hash)).contractAddress;
  };
  await chain.send({ value: 5n });
  coin = await deploy(coins.deploy(me, 1000n));
  good = await deploy(goods.deploy());
  await chain.send({ to: good, data: goods.mint(other, [1n], [3n]) });
  for (let at = 0; at < 5; at++) await chain.send({ to: coin, data: coins.transfer(other, 7n), value: 0n });
  await chain.send({ value: 11n });
  const cleaning = { after: (clean: () => unknown) => closing.push(clean) } as unknown as TestContext;
  followed = await FollowedChain.open(cleaning, { chain });
  followed.start();
  await followed.settle();
});

after(async () => {
  for (const close of closing) await close();
});

async function ask(action: string, parameters: Readonly<Record<string, string>>, extra = ""): Promise<Answer> {
  const [module, name] = action.split("/") as [string, string];
  const query = new URLSearchParams({ module, action: name, ...parameters });
  const response = await followed.app.inject(`/api?${query}${extra}`);
  assert.equal(response.statusCode, 200, response.body);
  return response.json<Answer>();
}

const height = async () => Number(await followed.chain.ask("eth_blockNumber"));

/** Every spelling of a block, and how the node spells the same. */
async function blockNames(): Promise<[tag: string, node: string][]> {
  const numbers = Array.from({ length: (await height()) + 1 }, (_, number) => number);
  const tags = ["latest", "earliest", "safe", "finalized", "LATEST"];
  return [
    ...numbers.map((number) => [String(number), `0x${number.toString(16)}`] as [string, string]),
    ...numbers.map((number) => [`0x${number.toString(16)}`, `0x${number.toString(16)}`] as [string, string]),
    ...tags.map((tag) => [tag, tag.toLowerCase()] as [string, string]),
  ];
}

test("account/balance and balancemulti: `tag` is the block, as the node has its state", async () => {
  const { chain } = followed;
  const [me, other] = [chain.account.address.toLowerCase(), chain.other.address.toLowerCase()];
  const seen = new Set<string>();
  for (const [tag, node] of await blockNames()) {
    const expected = await Promise.all(
      [me, other].map(async (address) => String(BigInt(await chain.ask<Hex>("eth_getBalance", address, node)))),
    );
    assert.equal((await ask("account/balance", { address: me, tag })).result, expected[0], tag);
    assert.deepEqual(
      (await ask("account/balancemulti", { address: `${me},${other}`, tag })).result,
      [
        { account: me, balance: expected[0] },
        { account: other, balance: expected[1] },
      ],
      tag,
    );
    seen.add(expected[0]!);
  }
  assert.ok(seen.size > 5);
});

test("account/tokenbalance: `tag` is the block, as the token answers there", async () => {
  const { chain } = followed;
  const address = chain.other.address;
  const seen = new Set<string>();
  for (const [tag, node] of await blockNames()) {
    const reported = await chain.ask<Hex>("eth_call", { to: coin, data: coins.balanceOf(address) }, node);
    const expected = String(reported === "0x" ? 0n : BigInt(reported));
    assert.equal((await ask("account/tokenbalance", { contractaddress: coin, address, tag })).result, expected, tag);
    seen.add(expected);
  }
  assert.deepEqual([...seen], ["0", "7", "14", "21", "28", "35"]);
});

test("a token that tells no balance of an address at a block, and a block that is none, are refused", async () => {
  const address = followed.chain.other.address;
  assert.equal((await ask("account/tokenbalance", { contractaddress: good, address })).result, "3");
  const refusals: [tag: string, message: string][] = [
    ["pending", "Invalid tag: use latest, earliest, safe, finalized or a block number"],
    ["abc", "Invalid tag: use latest, earliest, safe, finalized or a block number"],
    ["-1", "Invalid tag: use latest, earliest, safe, finalized or a block number"],
    ["999999", "Block does not exist"],
  ];
  for (const [tag, message] of refusals) {
    for (const action of ["account/balance", "account/balancemulti", "account/tokenbalance"]) {
      const answer = await ask(action, { contractaddress: coin, address, tag });
      assert.deepEqual(answer, { status: "0", message, result: message }, `${action} ${tag}`);
    }
  }
  const message = "The token does not say what the address had after block 4";
  const answer = await ask("account/tokenbalance", { contractaddress: good, address, tag: "4" });
  assert.deepEqual(answer, { status: "0", message, result: message });
});

test("a state that the node has pruned is reported as missing", async (t) => {
  const pruned = await FollowedChain.open(t, {
    around: (handle) => async (body, isTrusted) => {
      const calls = [JSON.parse(String(body))].flat() as { id: unknown; method: string }[];
      if (!calls.every(({ method }) => method === "eth_getBalance" || method === "eth_call")) {
        return handle(body, isTrusted);
      }
      const error = { code: -32000, message: "missing trie node 12ab (path ) state is not available" };
      const refused = calls.map(({ id }) => ({ jsonrpc: "2.0", id, error }));
      return JSON.stringify(String(body).startsWith("[") ? refused : refused[0]);
    },
  });
  await pruned.chain.send();
  pruned.start();
  await pruned.settle();
  const address = pruned.chain.account.address;
  for (const action of ["balance", "balancemulti", "tokenbalance"]) {
    const query = `module=account&action=${action}&address=${address}&contractaddress=${coin}&tag=0`;
    const answer = (await pruned.app.inject(`/api?${query}`)).json<Answer>();
    const message = "The node does not have the state after block 0";
    assert.deepEqual(answer, { status: "0", message, result: message }, action);
  }
});

test("a tag that only the node knows is 503 while it does not answer", async (t) => {
  let isSilent = false;
  const silent = await FollowedChain.open(t, {
    around: (handle) => async (body, isTrusted) => (isSilent ? new Promise(() => {}) : handle(body, isTrusted)),
  });
  await silent.chain.send();
  silent.start();
  await silent.settle();
  isSilent = true;
  const address = silent.chain.account.address;
  await new Promise((resolve) => setTimeout(resolve, 1100));

  const { statusCode } = await silent.app.inject(`/api?module=account&action=balance&address=${address}&tag=finalized`);

  assert.equal(statusCode, 503);
});

test("addresses are all answered, repeated parameters and addresses too, or there are too many", async () => {
  const { chain } = followed;
  const [me, other] = [chain.account.address.toLowerCase(), chain.other.address.toLowerCase()];
  const accounts = async (address: string, extra = "") => {
    const { result } = await ask("account/balancemulti", { address }, extra);
    return (result as { account: string }[]).map(({ account }) => account);
  };
  assert.deepEqual(await accounts(`${me},${other},${me}`), [me, other, me]);
  assert.deepEqual(await accounts(me, `&address=${other}&Address=${me}, ${coin}`), [me, other, me, coin]);
  assert.deepEqual((await ask("account/balance", { address: me }, `&address=${other}`)).result, [
    { account: me, balance: String(BigInt(await chain.ask<Hex>("eth_getBalance", me, "latest"))) },
    { account: other, balance: String(BigInt(await chain.ask<Hex>("eth_getBalance", other, "latest"))) },
  ]);

  const some = (count: number) => Array.from({ length: count }, (_, at) => `0x${String(at).padStart(40, "0")}`);
  assert.deepEqual(await accounts(some(20).join()), some(20));
  const message = "Too many addresses: at most 20 are allowed in one request";
  for (const [first, ...rest] of [[some(21).join()], some(21)]) {
    const extra = rest.map((one) => `&address=${one}`).join("");
    for (const action of ["account/balance", "account/balancemulti"]) {
      assert.deepEqual(await ask(action, { address: first! }, extra), { status: "0", message, result: message });
    }
  }
});

test("contract/getcontractcreation: all addresses are answered, or there are too many", async () => {
  const creations = async (contractaddresses: string, extra = "") => {
    const { result } = await ask("contract/getcontractcreation", { contractaddresses }, extra);
    return (result as { contractAddress: string }[]).map(({ contractAddress }) => contractAddress);
  };
  assert.deepEqual(await creations(coin, `&contractaddresses=${good},${coin}`), [coin, good, coin]);
  assert.deepEqual(await creations(Array.from({ length: 10 }, () => coin).join()).then((all) => all.length), 10);

  const message = "Too many addresses: at most 10 are allowed in one request";
  const many = { contractaddresses: Array.from({ length: 11 }, () => coin).join() };
  assert.deepEqual(await ask("contract/getcontractcreation", many), { status: "0", message, result: message });
});
