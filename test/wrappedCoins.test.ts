import assert from "node:assert/strict";
import { createRequire } from "node:module";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { encodeFunctionData } from "viem";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { transfersOf } from "../src/indexer/events/transfers.ts";
import { Indexer } from "../src/indexer/indexer.ts";
import { STAGES } from "../src/indexer/stages.ts";
import { IN_MEMORY } from "../src/store/engine/databases.ts";
import { openStore } from "../src/store/openStore.ts";
import { auditTokens } from "../src/store/stages/tokens/audit/tokenAudit.ts";
import type { Json } from "./support/api.ts";
import { CHAIN_ID } from "./support/developmentNode.ts";
import { fingerprint } from "./support/fingerprint/fingerprint.ts";
import { FollowedChain } from "./support/followedChain.ts";
import { listsOf, walk } from "./support/site.ts";
import type { Compiled } from "./support/solidity.ts";
import { compile } from "./support/solidity.ts";
import { coins } from "./support/tokenArtifacts.ts";
import { until } from "./support/waiting.ts";

const { bytecode } = createRequire(import.meta.url)("@uniswap/v2-periphery/build/WETH9.json") as { bytecode: string };
const WETH9 = { bytecode: `0x${bytecode}` } as const;

const { Pool, Vault } = compile(`
  contract Pool {
    event Deposit(address indexed who, uint256 amount);
    event Withdrawal(address indexed who, uint256 amount);
    mapping(address => uint256) public staked;
    function deposit() external payable { staked[msg.sender] += msg.value; emit Deposit(msg.sender, msg.value); }
    function withdraw(uint256 amount) external {
      staked[msg.sender] -= amount;
      payable(msg.sender).transfer(amount);
      emit Withdrawal(msg.sender, amount);
    }
  }
  contract Vault {
    event Deposit(address indexed who, uint256 amount);
    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Priced(uint256 price);
    mapping(address => uint256) public balanceOf;
    uint256 public totalSupply;
    function deposit(uint256 price) external payable {
      uint256 shares = msg.value / price;
      balanceOf[msg.sender] += shares;
      totalSupply += shares;
      emit Deposit(msg.sender, msg.value);
      emit Priced(price);
      emit Transfer(address(0), msg.sender, shares);
    }
  }`) as { Pool: Compiled; Vault: Compiled };

const DEPOSIT: Hex = "0xd0e30db0";
const ETHER = 10n ** 18n;

async function open(t: TestContext) {
  const followed = await FollowedChain.open(t);
  followed.start();
  const { chain } = followed;
  const me = chain.account.address;
  const deploy = async ({ bytecode }: Pick<Compiled, "bytecode">) => {
    const hash = await chain.send({ to: undefined, data: bytecode, gas: 3_000_000n });
    return (await chain.ask<{ contractAddress: Hex }>("eth_getTransactionReceipt", hash)).contractAddress;
  };
  const call = (to: Hex, data: Hex, value = 0n) => chain.send({ to, data, value });
  const get = async (path: string) => followed.get(`/api/v2/${path}`);
  const items = async (path: string) => (await get(path)).body.items as Json[];
  /** Token balances of an address according to the index. */
  const balances = async (holder: Hex) => {
    await followed.settle();
    const listed = await items(`addresses/${holder}/token-balances`);
    return Object.fromEntries(
      listed.map(({ token, value }) => [String((token as Json).address_hash).toLowerCase(), value]),
    );
  };
  const expectWhole = async () => {
    await followed.settle();
    assert.deepEqual(await followed.store.read((session) => auditTokens(session, transfersOf)), []);
    const fresh = await openStore(IN_MEMORY, CHAIN_ID);
    const { source } = followed;
    const indexer = new Indexer({ store: fresh, source, stages: STAGES });
    while ((await indexer.step()) !== "idle");
    assert.equal(await followed.store.read(fingerprint), await fresh.read(fingerprint));
    await fresh.close();
  };
  return { followed, chain, me, deploy, call, get, items, balances, expectWhole };
}

test("a pool that only takes deposits is no token, whatever it is asked", async (t) => {
  const { followed, me, deploy, call, get, items, balances, expectWhole } = await open(t);
  const pool = await deploy(Pool);
  const hash = await call(pool, DEPOSIT, 3n * ETHER);
  await call(pool, encodeFunctionData({ ...Pool, functionName: "withdraw", args: [ETHER] }));
  await followed.settle();
  await until("it was asked", async () => (await followed.store.latest.observations.dueCount(10)) === 0);

  assert.equal((await get(`tokens/${pool}`)).status, 404);
  assert.deepEqual(await balances(me), {});
  for (const path of ["tokens", `addresses/${me}/token-transfers`, `transactions/${hash}/token-transfers`])
    assert.deepEqual(await items(path), [], path);
  const { body } = await get(`addresses/${me}/tabs-counters`);
  assert.deepEqual([body.token_balances_count, body.token_transfers_count], [0, 0]);
  assert.equal((await get(`addresses/${pool}`)).body.token, null);
  await expectWhole();
});

test("a vault's deposits are counted once, as the shares that it mints", async (t) => {
  const { me, deploy, call, items, balances, expectWhole } = await open(t);
  const vault = await deploy(Vault);
  for (const price of [1n, 4n])
    await call(vault, encodeFunctionData({ ...Vault, functionName: "deposit", args: [price] }), 8n);

  assert.deepEqual(await balances(me), { [vault]: "10" });
  assert.equal((await items(`tokens/${vault}/transfers`)).length, 2);
  await expectWhole();
});

test("who deploys WETH9 and only deposits sees the token and the balance", async (t) => {
  const { followed, me, deploy, call, get, items, balances } = await open(t);
  const weth = await deploy(WETH9);
  await call(weth, DEPOSIT, 3n * ETHER);
  await until("it is observed", async () => (await get(`tokens/${weth}`)).status === 200);

  const { body } = await get(`tokens/${weth}`);
  assert.deepEqual([body.name, body.symbol, body.decimals, body.type], ["Wrapped Ether", "WETH", "18", "ERC-20"]);
  assert.deepEqual([body.holders_count, body.total_supply, body.labels], ["1", String(3n * ETHER), []]);
  assert.deepEqual(await balances(me), { [weth]: String(3n * ETHER) });
  const [holder] = await items(`tokens/${weth}/holders`);
  assert.deepEqual([(holder!.address as Json).hash, holder!.value], [me, String(3n * ETHER)]);
  for (const path of ["tokens", "search?q=wrapped", "tokens?q=weth"]) {
    const [found] = await items(path);
    assert.equal(String(found?.address_hash).toLowerCase(), weth, path);
  }
  const { body: tabs } = await get(`addresses/${me}/tabs-counters`);
  assert.deepEqual([tabs.token_balances_count, tabs.token_transfers_count], [1, 0]);
  const { body: account } = await get(`addresses/${me}`);
  assert.deepEqual([account.has_tokens, ((await get(`addresses/${weth}`)).body.token as Json).symbol], [true, "WETH"]);
  assert.deepEqual(await followed.store.read((session) => auditTokens(session, transfersOf)), []);
});

test("several wrapped coins and a token are listed page by page, each once", async (t) => {
  const { followed, chain, me, deploy, call, get } = await open(t);
  const wrapped = [await deploy(WETH9), await deploy(WETH9), await deploy(WETH9)];
  for (const weth of wrapped) await call(weth, DEPOSIT, ETHER);
  const hash = await chain.send({ to: undefined, data: coins.deploy(me, 7n), gas: 3_000_000n });
  const { contractAddress } = await chain.ask<{ contractAddress: Hex }>("eth_getTransactionReceipt", hash);
  for (const token of wrapped) await until("it is observed", async () => (await get(`tokens/${token}`)).status === 200);
  const lists = listsOf((path) => followed.get(`/api/v2/${path}`));
  const nameOf = (address: unknown) => String(address).toLowerCase();
  const expected = [contractAddress, ...wrapped];

  for (const size of [1, 2, 3, 50]) {
    for (const path of ["tokens", "tokens?order=asc"]) {
      const walked = await walk(lists, path, size);
      assert.deepEqual(
        walked.map(({ address_hash }) => nameOf(address_hash)),
        expected,
        `${path} by ${size}`,
      );
    }
    const path = `addresses/${me}/token-balances`;
    const walked = await walk(lists, path, size);
    assert.deepEqual(
      walked.map(({ token }) => nameOf((token as Json).address_hash)),
      expected,
      `${path} by ${size}`,
    );
    for (const list of ["tokens", path]) {
      const { items, total_count } = await lists.list(list, { page: 2, page_size: size });
      const listed = items.map(({ token, address_hash }) =>
        nameOf((token as Json | undefined)?.address_hash ?? address_hash),
      );
      assert.deepEqual([listed, total_count], [expected.slice(size, 2 * size), 4], `${list} by ${size}`);
    }
  }
});

test("the first transfer of a wrapped coin makes it a token with what was deposited before, and a reorg takes that back", async (t) => {
  const { followed, chain, me, deploy, call, get, items, balances, expectWhole } = await open(t);
  const { address: other } = chain.other;
  const weth = await deploy(WETH9);
  await call(weth, DEPOSIT, 3n * ETHER);
  await until("it is observed", async () => (await get(`tokens/${weth}`)).status === 200);
  const before = await chain.ask("evm_snapshot");

  await call(weth, coins.transfer(other, ETHER));
  await call(weth, DEPOSIT, ETHER);

  assert.deepEqual(await balances(me), { [weth]: String(3n * ETHER) });
  assert.deepEqual(await balances(other), { [weth]: String(ETHER) });
  assert.equal((await items(`tokens/${weth}/transfers`)).length, 2);
  assert.equal((await get(`tokens/${weth}`)).body.total_supply, String(4n * ETHER));
  await expectWhole();

  await chain.ask("evm_revert", before);
  await chain.ask("evm_mine");
  await followed.settle();

  assert.deepEqual(await balances(other), {});
  await until("it is observed again", async () => (await get(`tokens/${weth}`)).status === 200);
  assert.deepEqual(await balances(me), { [weth]: String(3n * ETHER) });
  assert.deepEqual(await items(`tokens/${weth}/transfers`), []);
  await expectWhole();
});
