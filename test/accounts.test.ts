import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeDeployData } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { checksumAddress } from "../src/chain/encoding/checksum.ts";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { fromHex } from "../src/chain/encoding/hex.ts";
import type { Json } from "./support/api.ts";
import { contractNamed, creationOf } from "./support/contracts.ts";
import { CHAIN_ID, EMITTER, emission, word } from "./support/developmentNode.ts";
import { FollowedChain } from "./support/followedChain.ts";

interface Deployed {
  readonly address: Hex;
  readonly hash: Hex;
  readonly input: Hex;
}

const show = (address: Hex) => checksumAddress(fromHex(address));

async function open(t: Parameters<typeof FollowedChain.open>[0]) {
  const followed = await FollowedChain.open(t);
  const { chain } = followed;
  followed.start();
  const deploy = async (input: Hex): Promise<Deployed> => {
    const hash = await chain.send({ to: undefined, data: input, gas: 5_000_000n });
    const { contractAddress } = await chain.ask<{ contractAddress: Hex }>("eth_getTransactionReceipt", hash);
    return { address: contractAddress, hash, input };
  };
  const get = async (path: string) => {
    await followed.settle();
    return followed.get(`/api/v2/${path}`);
  };
  return { followed, chain, deploy, get };
}

test("balances, code and creators are those of the node", async (t) => {
  const { chain, deploy, get } = await open(t);
  const emitter = await deploy(EMITTER);
  await chain.send({ to: chain.other.address, value: 12_345n });
  await chain.send({ to: emitter.address, data: emission(7, 8) });
  const addresses = [chain.account.address, chain.other.address, emitter.address, `0x${"12".repeat(20)}` as Hex];

  for (const address of addresses) {
    const [balance, code] = [
      await chain.ask<Hex>("eth_getBalance", address, "latest"),
      await chain.ask<Hex>("eth_getCode", address, "latest"),
    ];
    const { status, body } = await get(`addresses/${address}`);
    const isContract = code !== "0x";
    const contract = await get(`smart-contracts/${address}`);

    assert.equal(status, 200);
    assert.deepEqual([body.coin_balance, body.is_contract], [BigInt(balance).toString(), isContract], address);
    assert.equal(body.block_number_balance_updated_at, Number(await chain.ask("eth_blockNumber")));
    assert.deepEqual([contract.status, contract.body.deployed_bytecode], isContract ? [200, code] : [404, undefined]);
  }
  const { body } = await get(`addresses/${emitter.address}`);
  assert.deepEqual(
    [body.creator_address_hash, body.creation_transaction_hash, body.creation_status, body.has_logs],
    [chain.account.address, emitter.hash, "success", true],
  );
  assert.equal((await get(`smart-contracts/${emitter.address}`)).body.creation_bytecode, emitter.input);
});

test("accounts of abandoned blocks are no longer listed", async (t) => {
  const { chain, deploy, get } = await open(t);
  await chain.send({ to: chain.other.address, value: 1n });
  const snapshot = await chain.ask("evm_snapshot");
  const before = (await get(`addresses/${chain.other.address}`)).body;
  const { address } = await deploy(EMITTER);
  await chain.send({ to: chain.other.address, value: 5n });
  const between = (await get(`addresses/${chain.other.address}`)).body;
  assert.equal((await get(`smart-contracts/${address}`)).status, 200);

  await chain.ask("evm_revert", snapshot);

  assert.equal(BigInt(between.coin_balance as string) - BigInt(before.coin_balance as string), 5n);
  assert.deepEqual((await get(`addresses/${chain.other.address}`)).body, before);
  assert.equal((await get(`smart-contracts/${address}`)).status, 404);
  const { body } = await get(`addresses/${address}`);
  assert.deepEqual([body.is_contract, body.creation_transaction_hash], [false, null]);
});

test("balances set without a block are shown at once", async (t) => {
  const { followed, chain, get } = await open(t);
  const address: Hex = `0x${"12".repeat(20)}`;
  const sayOf = async () => {
    const { body } = await get(`addresses/${address}`);
    const contract = await get(`smart-contracts/${address}`);
    return [body.coin_balance, body.is_contract, contract.body.deployed_bytecode];
  };
  const change = async (method: string, value: Hex) => {
    const notified = new Promise<void>((resolve) => followed.watch(resolve));
    await chain.ask(method, address, value);
    await notified;
  };
  assert.deepEqual(await sayOf(), ["0", false, undefined]);
  const head = await chain.ask("eth_blockNumber");

  for (const [balance, code] of [
    ["0x7b", "0x6001"],
    ["0x1c8", "0x6002"],
    ["0x0", "0x6003"],
  ] as const) {
    await change("hardhat_setBalance", balance);
    await change("hardhat_setCode", code);
    assert.deepEqual(await sayOf(), [BigInt(balance).toString(), true, code]);
  }
  assert.equal(await chain.ask("eth_blockNumber"), head);
});

test("proxies name who runs in their place, as it is at the indexed block", async (t) => {
  const { chain, deploy, get } = await open(t);
  const deployNamed = (name: string, args: readonly unknown[]) =>
    deploy(encodeDeployData({ ...contractNamed(name), args } as never));
  const [one, other] = [(await deploy(EMITTER)).address, (await deploy(EMITTER)).address];
  const beacon = (await deployNamed("UpgradeableBeacon", [one])).address;
  const proxies: [Hex, string][] = [
    [(await deployNamed("ERC1967Proxy", [one, "0x"])).address, "eip1967"],
    [(await deployNamed("BeaconProxy", [beacon, "0x"])).address, "eip1967_beacon"],
    [
      (await deploy(creationOf(`0x363d3d373d3d3d363d73${one.slice(2)}5af43d82803e903d91602b57fd5bf3`))).address,
      "eip1167",
    ],
  ];
  const expected = (type: string | null, address: Hex) => ({
    proxy_type: type,
    implementations: [{ address_hash: show(address), address: show(address), name: null }],
  });
  const proxyOf = ({ proxy_type, implementations }: Json) => ({ proxy_type, implementations });

  for (const [address, type] of proxies) {
    assert.deepEqual(proxyOf((await get(`addresses/${address}`)).body), expected(type, one), type);
    assert.deepEqual(proxyOf((await get(`smart-contracts/${address}`)).body), expected(type, one), type);
  }
  // upgradeTo(address)
  await chain.send({ to: beacon, data: `0x3659cfe6${word(BigInt(other)).slice(2)}` });
  const [, [proxy]] = proxies as [unknown, [Hex, string]];

  assert.deepEqual(proxyOf((await get(`addresses/${proxy}`)).body), expected("eip1967_beacon", other));
  assert.deepEqual(proxyOf((await get(`addresses/${one}`)).body), { proxy_type: null, implementations: [] });
});

test("an account that delegates counts as a contract, and names whose code it runs", async (t) => {
  const { chain, deploy, get } = await open(t);
  const { address } = await deploy(EMITTER);
  const account = privateKeyToAccount(`0x${"77".repeat(32)}`);
  const authorization = await account.signAuthorization({ contractAddress: address, chainId: CHAIN_ID, nonce: 0 });
  await chain.send({ type: "eip7702", authorizationList: [authorization], to: chain.other.address });

  const { body } = await get(`addresses/${account.address}`);
  const contract = await get(`smart-contracts/${account.address}`);

  assert.deepEqual([body.is_contract, body.proxy_type, body.creator_address_hash], [true, "eip7702", null]);
  assert.equal((body.implementations as Json[])[0]!.address_hash, show(address));
  assert.equal(contract.body.deployed_bytecode, `0xef0100${address.slice(2)}`);
});

test("a sender counts as a contract where the code it delegates to emitted logs, and is called", async (t) => {
  const { chain, deploy, get } = await open(t);
  const { address } = await deploy(EMITTER);
  const { account } = chain;
  const authorization = await account.signAuthorization({ contractAddress: address, chainId: CHAIN_ID, nonce: 2 });
  const sent = { type: "eip7702", authorizationList: [authorization], to: account.address, data: emission(7, 8) };

  const hash = await chain.send(sent);

  const { body } = await get(`transactions/${hash}`);
  const [log] = (await get(`addresses/${account.address}/logs`)).body.items as Json[];
  const named = [body.from, body.to, log!.address] as Json[];
  assert.deepEqual(
    named.map(({ hash, is_contract }) => [hash, is_contract]),
    named.map(() => [show(account.address), true]),
  );
  assert.deepEqual(body.transaction_types, ["contract_call", "set_code_transaction"]);
  assert.equal(body.method, "0x00000000");
});

test("a contract that destroyed itself says so, one that was made without code does not", async (t) => {
  const { deploy, get } = await open(t);
  const [gone, bare, there] = [await deploy("0x30ff"), await deploy("0x00"), await deploy(EMITTER)];

  for (const [made, status] of [
    [gone, "selfdestructed"],
    [bare, "success"],
    [there, "success"],
  ] as const) {
    const { body } = await get(`addresses/${made.address}`);
    const contract = await get(`smart-contracts/${made.address}`);
    assert.deepEqual([body.creation_status, contract.body.creation_status], [status, status]);
    assert.equal(body.creation_transaction_hash, made.hash);
  }
});

test("the gas of a contract is that of what was sent to it, plain payments too; of an account that of what it sent", async (t) => {
  const { chain, deploy, get } = await open(t);
  // Code that stops at once: a payment costs as much as one to an account.
  const { address } = await deploy("0x600060005360016000f3");
  const hashes: Hex[] = [];
  for (const fields of [{ value: 1n }, { value: 2n }, { data: "0x12345678" }, { value: 3n }])
    hashes.push(await chain.send({ to: address, ...fields }));
  await chain.send({ to: chain.account.address, value: 1n });
  const used = async (hash: Hex) =>
    BigInt((await chain.ask<{ gasUsed: Hex }>("eth_getTransactionReceipt", hash)).gasUsed);
  const gas = (await Promise.all(hashes.map(used))).reduce((sum, one) => sum + one, 0n);

  const contract = await get(`addresses/${address}/counters`);
  const other = await get(`addresses/${chain.other.address}/counters`);
  const { body } = await get(`addresses/${chain.account.address}/transactions?page_size=1000`);

  assert.equal(await chain.ask("eth_getCode", address, "latest"), "0x00");
  assert.deepEqual([contract.body.gas_usage_count, other.body.gas_usage_count], [gas.toString(), "0"]);
  const sent = (body.items as Json[]).reduce((sum, item) => sum + BigInt(item.gas_used as string), 0n);
  const account = await get(`addresses/${chain.account.address}/counters`);
  assert.equal(account.body.gas_usage_count, sent.toString());
});
