import assert from "node:assert/strict";
import { test } from "node:test";
import { DevelopmentNode, EMITTER, emission, Refused, word } from "../../../test/support/developmentNode.ts";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { MAX_LOG_BLOCKS } from "./logRange.ts";

const SEED = firstSeed();

interface Log {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly blockNumber: Hex;
  readonly data: Hex;
}

interface Query {
  readonly fromBlock: Hex;
  readonly toBlock: Hex;
  readonly address?: Hex;
  readonly topics?: readonly Hex[];
}

/** Recomputed from receipts, without blooms. */
async function expected(node: DevelopmentNode, query: Query): Promise<Log[]> {
  const head = Number(await node.ask("eth_blockNumber"));
  const logs: Log[] = [];
  for (let number = Number(query.fromBlock); number <= Math.min(head, Number(query.toBlock)); number++) {
    const receipts = await node.ask<{ logs: Log[] }[]>("eth_getBlockReceipts", number);
    logs.push(...receipts.flatMap((receipt) => receipt.logs));
  }
  return logs.filter(
    ({ address, topics }) =>
      (query.address === undefined || address === query.address) &&
      (query.topics === undefined || topics[0] === query.topics[0]),
  );
}

test(`logs of long ranges are what the receipts say, before and after reorgs (seed ${SEED})`, async (t) => {
  const random = new Random(SEED);
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const emitters = [await node.deploy(EMITTER), await node.deploy(EMITTER)];
  const from = node.account.address;
  const play = async () => {
    for (let turn = 0; turn < 12; turn++) {
      await node.ask("anvil_mine", random.between(1, 40));
      const to = emitters[random.between(0, 1)]!;
      await node.ask("eth_sendTransaction", { from, to, data: emission(random.between(1, 3), turn) });
    }
  };
  const compare = async () => {
    const head = Number(await node.ask("eth_blockNumber"));
    for (let turn = 0; turn < 10; turn++) {
      const first = random.between(0, head);
      const query = {
        fromBlock: toQuantity(first),
        toBlock: toQuantity(random.between(first, head + 100)),
        ...(random.chance(0.5) && { address: emitters[random.between(0, 1)]! }),
        ...(random.chance(0.5) && { topics: [word(random.between(1, 4))] }),
      };
      assert.deepEqual(await node.ask("eth_getLogs", query), await expected(node, query), JSON.stringify(query));
    }
  };

  await play();
  await compare();
  await node.ask("anvil_rollback", random.between(10, 150));
  await play();
  await compare();
  await node.ask("anvil_reorg", random.between(10, 150), []);
  await compare();
});

const toQuantity = (number: number): Hex => `0x${number.toString(16)}`;

test("a range of more than ten thousand blocks is answered where any is allowed", async (t) => {
  const node = await DevelopmentNode.open({ genesisTime: 1, unboundedLogs: true });
  t.after(() => node.close());
  const { chain } = node.node.context;
  const emitter = await node.deploy(EMITTER);
  await node.send({ to: emitter, data: emission(1, 5) });
  copyHead(node, 12_000);

  const range = { fromBlock: "0x1", toBlock: "latest" };
  const logs = await node.ask<Log[]>("eth_getLogs", { ...range, topics: [word(1)] });

  assert.equal(chain.head.header.number, 12_002);
  assert.deepEqual(
    logs.map(({ data }) => data),
    [word(5)],
  );
  assert.deepEqual(await node.ask("eth_getLogs", { ...range, address: emitter }), logs);
  assert.deepEqual(await node.ask("eth_getLogs", range), logs);
});

/** Appends empty rows directly: mining that many would dominate the test. */
function copyHead(node: DevelopmentNode, count: number): void {
  const { database } = node.node.context.chain;
  const { header, body, stateRoot } = database.block(0)!;
  const head = node.node.context.chain.head.header.number;
  database.transaction(() => {
    for (let number = head + 1; number <= head + count; number++) {
      const hash = Buffer.alloc(32);
      hash.writeUInt32BE(number);
      database.putBlock(
        number,
        { header, body, stateRoot },
        { hash, transactions: [], nodes: new Map(), sidecars: new Map() },
      );
    }
  });
  const block = node.node.context.chain.head;
  const high = { ...block, header: { ...block.header, number: head + count } };
  Object.defineProperty(node.node.context.chain, "head", { get: () => high });
}

for (const chainId of [968, 31_337]) {
  test(`a range of more than 10,000 blocks is refused, also through a filter (chain ${chainId})`, async (t) => {
    const node = await DevelopmentNode.open({ genesisTime: 1, chainId });
    t.after(() => node.close());
    copyHead(node, MAX_LOG_BLOCKS);
    const ask = async (query: object) => {
      const id = await node.ask("eth_newFilter", query);
      const asked = [node.ask<Log[]>("eth_getLogs", query), node.ask<Log[]>("eth_getFilterLogs", id)];
      return Promise.all(asked.map((answer) => answer.then(({ length }) => length, refusalOf)));
    };
    const refused = `exceed maximum block range: 10000; ${ADVICE}`;

    assert.equal(Number(await node.ask("eth_blockNumber")), MAX_LOG_BLOCKS);
    assert.deepEqual(await ask({ fromBlock: "0x1", toBlock: "latest" }), [0, 0]);
    assert.deepEqual(await ask({ fromBlock: "0x1" }), [0, 0]);
    assert.deepEqual(await ask({ fromBlock: "0x1", toBlock: toQuantity(MAX_LOG_BLOCKS + 1) }), [refused, refused]);
    assert.deepEqual(await ask({ fromBlock: "0x0", toBlock: toQuantity(MAX_LOG_BLOCKS) }), [refused, refused]);
    assert.deepEqual(await ask({ fromBlock: "0x1", toBlock: "0xffffffff" }), [refused, refused]);
    const whole = await ask({ fromBlock: "earliest", toBlock: "latest" });
    assert.ok(whole.every((answer) => typeof answer === "string"));
  });
}

test("the whole chain is refused where ranges must have bounds, also through a filter", async (t) => {
  const [open, bounded] = [await DevelopmentNode.open({ chainId: 31_337 }), await DevelopmentNode.open()];
  t.after(() => Promise.all([open.close(), bounded.close()]));
  const filterLogs = async (node: DevelopmentNode, query: object) =>
    node.ask("eth_getFilterLogs", await node.ask("eth_newFilter", query));

  for (const fromBlock of ["earliest", "0x0", 0]) {
    for (const toBlock of ["latest", "pending", undefined]) {
      const query = { fromBlock, toBlock };
      assert.deepEqual(await open.ask("eth_getLogs", query), []);
      assert.deepEqual(await filterLogs(open, query), []);
      const refused = (method: string) => `${method} ${WHOLE}; ${ADVICE}`;
      assert.equal(await bounded.ask("eth_getLogs", query).catch(refusalOf), refused("eth_getLogs"));
      assert.equal(await filterLogs(bounded, query).catch(refusalOf), refused("eth_getFilterLogs"));
    }
  }
  const { hash } = await bounded.ask<{ hash: Hex }>("eth_getBlockByNumber", "0x0", false);
  assert.deepEqual(await bounded.ask("eth_getLogs", { blockHash: hash }), []);
});

test("a filter without bounds has the logs of the head, and returns new ones", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const emitter = await node.deploy(EMITTER);
  const id = await node.ask("eth_newFilter", { address: emitter });
  for (const data of [1, 2]) await node.send({ to: emitter, data: emission(1, data) });

  const all = await node.ask<Log[]>("eth_getFilterLogs", id);
  const changes = await node.ask<Log[]>("eth_getFilterChanges", id);

  assert.deepEqual(
    [all, changes].map((logs) => logs.map(({ data }) => Number(data))),
    [[2], [1, 2]],
  );
});

const EXAMPLE = { fromBlock: "0x1", toBlock: "0x2710" };
const ADVICE = `pass at most 10000 blocks, as in ${JSON.stringify(EXAMPLE)}, or start oriel with --unbounded-logs`;
const WHOLE = "does not search the whole chain, which filters without a range do by default";

function refusalOf(error: unknown): string {
  assert.ok(error instanceof Refused && error.code === -32_602, String(error));
  return error.message;
}

test("what is refused names the explorer's call for the same logs, or none where there is none", async (t) => {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const address: Hex = toHex(Buffer.alloc(20, 7));
  const refusal = (query: object) => node.ask("eth_getLogs", query).catch(refusalOf);

  assert.equal(
    await refusal({ fromBlock: "0x0", address, topics: [word(1), null, word(2)] }),
    `eth_getLogs ${WHOLE}; ${ADVICE}, or use /api?module=logs&action=getLogs&fromBlock=0&toBlock=latest&address=${address}&topic0=${word(1)}&topic2=${word(2)}&topic0_2_opr=and`,
  );
  assert.deepEqual(await refusal(EXAMPLE), []);
  assert.equal(await refusal({}), `eth_getLogs needs fromBlock and toBlock; ${ADVICE}`);
  assert.equal(
    await refusal({ fromBlock: 0, toBlock: "latest", topics: [[word(1), word(2)]] }),
    `eth_getLogs ${WHOLE}; ${ADVICE}`,
  );
});
