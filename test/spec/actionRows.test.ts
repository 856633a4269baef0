import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { Hex } from "../../src/chain/encoding/hex.ts";
import { DevelopmentNode } from "../support/developmentNode.ts";
import { FollowedChain } from "../support/followedChain.ts";
import { readPlainChain } from "../support/plainChain.ts";
import { plainLogs } from "../support/plainLogs.ts";

/** The hash of `Transfer(address,address,uint256)`. */
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** Emits 240 logs with the topic of a transfer, and a second topic that counts down from 240. */
const RUNTIME = `60f05b807f${TRANSFER.slice(2)}5f5fa2600190038060025700`;
const EMITTER: Hex = `0x60${(RUNTIME.length / 2).toString(16)}600a5f3960${(RUNTIME.length / 2).toString(16)}5ff3${RUNTIME}`;

type Parameters = Readonly<Record<string, string | number>>;

interface Row extends Readonly<Record<string, string>> {}

interface Answer {
  readonly status: string;
  readonly message: string;
  readonly result: unknown;
}

/** A chain with more logs than one answer has, and what is served of it. */
class Rows {
  readonly followed: FollowedChain;
  readonly emitter: Hex;

  private constructor(followed: FollowedChain, emitter: Hex) {
    this.followed = followed;
    this.emitter = emitter;
  }

  static async open(t: TestContext): Promise<Rows> {
    const chain = await DevelopmentNode.open();
    const emitter = await chain.deploy(EMITTER);
    const rows = new Rows(await FollowedChain.open(t, { chain }), emitter);
    for (let call = 0; call < 6; call++) await rows.emit();
    rows.followed.start();
    await rows.followed.settle();
    return rows;
  }

  async emit(): Promise<void> {
    await this.followed.chain.send({ to: this.emitter, gas: 2_000_000n });
  }

  async get(query: string): Promise<Answer> {
    return (await this.followed.app.inject(`/api?${query}`)).json<Answer>();
  }

  ask(module: string, action: string, parameters: Parameters = {}): Promise<Answer> {
    const pairs = Object.entries({ module, action, ...parameters }).map(([name, value]) => [name, String(value)]);
    return this.get(new URLSearchParams(pairs).toString());
  }

  async logs(parameters: Parameters): Promise<Row[]> {
    return (await this.ask("logs", "getLogs", parameters)).result as Row[];
  }

  /** All logs of the chain in the node's JSON. */
  async nodeLogs(): Promise<{ block: number; index: number; topics: readonly string[] }[]> {
    const chain = await readPlainChain((method, ...params) => this.followed.chain.ask(method, ...params));
    return plainLogs(chain).map(({ block_number, index, topics }) => ({
      block: block_number,
      index,
      topics: topics.filter((topic) => topic !== null),
    }));
  }
}

/** Where a log stands, to compare it with the node's. */
const placed = (rows: readonly Row[]) =>
  rows.map(({ blockNumber, logIndex, topics }) => ({ block: Number(blockNumber), index: Number(logIndex), topics }));

test("the rows of the specification about the module/action API", async (t) => {
  const rows = await Rows.open(t);
  const all = await rows.nodeLogs();
  const { chain } = rows.followed;
  const range = { fromBlock: 0, toBlock: "latest" };
  assert.ok(all.length > 1000);

  await t.test("2.3, 7: a success has the status `1` and the message `OK`", async () => {
    const balance = String(BigInt(await chain.ask<string>("eth_getBalance", chain.account.address, "latest")));
    const answer = await rows.ask("account", "balance", { address: chain.account.address });
    assert.deepEqual(answer, { status: "1", message: "OK", result: balance });
  });

  await t.test("4.2 account/balance: the native balance in wei, as a decimal string, of any spelling", async () => {
    for (const address of [chain.account.address, chain.account.address.toLowerCase()]) {
      const { result } = await rows.ask("account", "balance", { address });
      assert.match(result as string, /^\d+$/);
      assert.equal(BigInt(result as string), BigInt(await chain.ask<string>("eth_getBalance", address, "latest")));
    }
    const { result } = await rows.ask("account", "balance", { address: `0x${"12".repeat(20)}` });
    assert.equal(result, "0");
  });

  await t.test("4.2 `address`: of txlist, getabi and getLogs", async () => {
    const sent = (await rows.ask("account", "txlist", { address: chain.account.address })).result as Row[];
    assert.equal(sent.length, Number(await chain.ask("eth_getTransactionCount", chain.account.address, "latest")));
    const abi = await rows.ask("contract", "getabi", { address: rows.emitter });
    assert.equal(abi.message, "Contract source code not verified");
    assert.deepEqual(placed(await rows.logs({ ...range, address: rows.emitter })), all.slice(0, 1000));
    assert.deepEqual(await rows.logs({ ...range, address: chain.account.address }), []);
  });

  await t.test("4.2 `page` and `offset`: of txlist and getLogs", async () => {
    const address = chain.account.address;
    const list = async (parameters: Parameters) =>
      (await rows.ask("account", "txlist", { address, ...parameters })).result as Row[];
    const whole = await list({});
    assert.deepEqual(await list({ page: 2, offset: 2 }), whole.slice(2, 4));
    const page = { ...range, topic0: TRANSFER, page: 3, offset: 100 };
    assert.deepEqual(placed(await rows.logs(page)), all.slice(200, 300));
  });

  await t.test("4.2 `sort`: `desc` is the newest first, `asc` the oldest", async () => {
    const numbers = async (sort: string) => {
      const { result } = await rows.ask("account", "txlist", { address: chain.account.address, sort });
      return (result as Row[]).map(({ blockNumber }) => Number(blockNumber));
    };
    const ascending = (await numbers("asc")).toSorted((a, b) => a - b);
    assert.deepEqual(await numbers("asc"), ascending);
    assert.deepEqual(await numbers("desc"), ascending.toReversed());
    assert.ok(ascending.length > 5);
  });

  await t.test("4.2 `fromBlock` a number, `toBlock` a number or `latest`, both included", async () => {
    const within = (from: number, to: number) => all.filter(({ block }) => block >= from && block <= to);
    const height = Number(await chain.ask("eth_blockNumber"));
    for (const [fromBlock, toBlock, to] of [
      [3, 4, 4],
      [4, 4, 4],
      [height - 1, "latest", height],
    ] as const) {
      const found = await rows.logs({ fromBlock, toBlock, topic0: TRANSFER });
      assert.deepEqual(placed(found), within(fromBlock, to));
      assert.ok(found.length > 0);
    }
  });

  await t.test("4.2 `topic0`, and `topic0_1_opr` joining it with `topic1`", async () => {
    const word = `0x${(17).toString(16).padStart(64, "0")}`;
    const both = { ...range, topic0: TRANSFER, topic1: word };
    const seventeenth = all.filter(({ topics }) => topics[1] === word);
    assert.deepEqual(placed(await rows.logs({ ...both, topic0_1_opr: "and" })), seventeenth);
    assert.deepEqual(placed(await rows.logs({ ...both, topic0_1_opr: "or" })), all.slice(0, 1000));
    assert.equal(seventeenth.length, 6);
  });

  await t.test("4.2 rule 1, 8 logs per request: at most 1,000, and `page` and `offset` read further", async () => {
    for (const offset of [1000, 1001, 10_000]) {
      assert.equal((await rows.logs({ ...range, topic0: TRANSFER, offset })).length, 1000);
    }
    const read = [1, 2].map((page) => rows.logs({ ...range, topic0: TRANSFER, page, offset: 1000 }));
    assert.deepEqual(placed((await Promise.all(read)).flat()), all);
  });

  await t.test("4.2 rule 2, 7: two topics and no `topic0_1_opr` is refused with its message", async () => {
    const text = "Required query parameters missing: topic0_1_opr";
    const answer = await rows.ask("logs", "getLogs", { ...range, topic0: TRANSFER, topic1: TRANSFER });
    assert.deepEqual(answer, { status: "0", message: text, result: text });
  });

  await t.test("5 rule 1: no API key is needed, and any is taken", async () => {
    const plain = await rows.get("module=block&action=eth_block_number");
    assert.equal(plain.status, "1");
    for (const key of ["", "YourApiKeyToken", "%00", "a".repeat(1000)]) {
      assert.deepEqual(await rows.get(`module=block&action=eth_block_number&apikey=${key}`), plain);
    }
  });

  await t.test("6 rule 2: logs are read by polling getLogs, each once while the chain grows", async () => {
    const read: unknown[] = [];
    for (let fromBlock = 0, round = 0; round < 4; round++) {
      const height = Number((await rows.ask("block", "eth_block_number")).result);
      for (let page = 1; ; page++) {
        const found = await rows.logs({ fromBlock, toBlock: height, topic0: TRANSFER, page, offset: 500 });
        read.push(...placed(found));
        if (found.length < 500) break;
      }
      fromBlock = height + 1;
      await rows.emit();
      await rows.followed.settle();
    }
    const grown = await rows.nodeLogs();
    assert.deepEqual(read, grown.slice(0, read.length));
    assert.equal(grown.length - read.length, 240);
  });
});

/** Code of a deployment that emits six logs of a mebibyte each. */
const LONG_LOGS: Hex = "0x60065b621000005fa0600190038060025700";

test("transaction/gettxinfo: logs that have no room on a page are on the next, each once", async (t) => {
  const chain = await DevelopmentNode.open({ gasLimit: 200_000_000 });
  const followed = await FollowedChain.open(t, { chain });
  const txhash = await chain.send({ to: undefined, data: LONG_LOGS, gas: 100_000_000n });
  followed.start();
  await followed.settle();

  const read: Row[] = [];
  const pages: number[] = [];
  for (let next: Parameters | null = {}; next !== null; ) {
    const query = new URLSearchParams({ module: "transaction", action: "gettxinfo", txhash });
    for (const [name, value] of Object.entries(next)) query.set(name, String(value));
    const { result } = (await followed.app.inject(`/api?${query}`)).json<{ result: LogPage }>();
    read.push(...result.logs);
    pages.push(result.logs.length);
    next = result.next_page_params;
  }

  const { logs } = await chain.ask<{ logs: Row[] }>("eth_getTransactionReceipt", txhash);
  assert.ok(pages.length > 1 && pages.every((count) => count > 0 && count <= 4), `${pages}`);
  assert.deepEqual(
    read.map(({ data, index }) => ({ data, index: Number(index) })),
    logs.map(({ data, logIndex }) => ({ data, index: Number(logIndex) })),
  );
});

interface LogPage {
  readonly logs: Row[];
  readonly next_page_params: Parameters | null;
}
