import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { toHex } from "viem";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { quantity } from "../src/chain/encoding/hex.ts";
import { versionedHash } from "../src/chain/hashing/versionedHash.ts";
import { INDEX_WAIT, MAX_BLOCKS_BEHIND } from "../src/gateway/missingSidecars.ts";
import { BLOB_SEARCH_SECONDS, backfillBlobs, NODE_RETENTION } from "../src/indexer/blobBackfill.ts";
import type { BlobBlock } from "../src/indexer/blobFetcher.ts";
import { BlobFetcher, sidecarsOfBeacon, sidecarsOfNodes } from "../src/indexer/blobFetcher.ts";
import { BlobKeeper } from "../src/indexer/blobKeeper.ts";
import { proveBlob } from "../src/node/blobs/proveBlob.ts";
import { verifyProofs } from "../src/node/blobs/verifyProofs.ts";
import { Beacon } from "../src/source/beacon.ts";
import { openPool } from "../src/source/pool/openPool.ts";
import { BlobStore } from "../src/store/blobStore.ts";
import type { ProvenBlob } from "./support/blobs.ts";
import { CURVE, LINE, ONE, ZERO } from "./support/blobs.ts";
import { GatewayChain } from "./support/gatewayChain.ts";
import { waitsDuring } from "./support/otherClient.ts";
import { temporaryDirectory } from "./support/program.ts";

interface SidecarRecord {
  readonly blobSidecar: { readonly blobs: Hex[]; readonly commitments: Hex[]; readonly proofs: Hex[] };
  readonly txHash: Hex;
}

/** Sends some blobs in one transaction. */
async function sendBlobs({ node }: GatewayChain, proven: readonly ProvenBlob[]): Promise<Hex> {
  return node.send({
    type: "eip4844",
    maxFeePerBlobGas: 1000n,
    blobVersionedHashes: proven.map(({ commitment }) => toHex(versionedHash(commitment))),
    sidecars: proven.map(({ blob, commitment, proof }) => ({
      blob: toHex(blob),
      commitment: toHex(commitment),
      proof: toHex(proof),
    })),
  });
}

/** A chain whose node can lose its blobs, and an archive. */
async function openArchived(t: TestContext) {
  const blobs = new BlobStore(temporaryDirectory(t));
  t.after(() => blobs.close());
  const chain = await GatewayChain.open(t, { blobs });
  const keeper = new BlobKeeper(blobs, { verify: async (sidecar) => verifyProofs(sidecar) });
  return { chain, blobs, keeper };
}

async function archive(t: TestContext, { chain, blobs, keeper }: Awaited<ReturnType<typeof openArchived>>) {
  const nodes = openPool([chain.url]);
  t.after(() => nodes.close());
  const fetcher = new BlobFetcher({
    sources: [sidecarsOfNodes((method, params) => nodes.passToAll(method, params))],
    hasAll: (names) => blobs.hasAll(names),
    keep: (block) => keeper.keep(block),
  });
  t.after(() => fetcher.close());
  const head = Number(await chain.node.ask("eth_blockNumber"));
  for (let number = 0; number <= head; number++) {
    const block = await nodes.block(number);
    fetcher.note(block!);
  }
  await fetcher.idle();
}

test("sidecars are answered as by the node, and so they are once it has lost them", async (t) => {
  const opened = await openArchived(t);
  const { chain } = opened;
  const [one, many, plain] = [
    await sendBlobs(chain, [ONE]),
    await sendBlobs(chain, [LINE, ONE, ZERO, ZERO, ONE, LINE]),
    await chain.node.send({ value: 1n }),
  ];
  await chain.index();
  const hashOf = async (tag: string) => (await chain.node.ask<{ hash: Hex }>("eth_getBlockByNumber", tag, false)).hash;
  const blockHash = await hashOf("0x2");
  const ids = ["0x0", "0x1", "0x2", "0x3", "0x4", "latest", "earliest", "safe", "finalized", blockHash, { blockHash }];
  const calls: [string, unknown[]][] = [
    ...ids
      .flatMap((id) => [[id], [id, true], [id, false]])
      .map((params): [string, unknown[]] => ["eth_getBlobSidecars", params]),
    ["eth_getBlobSidecars", [{ blockNumber: "0x2" }, false]],
    ...[one, many, plain, `0x${"7".repeat(64)}`].flatMap((hash) =>
      [[hash], [hash, true], [hash, false]].map((params): [string, unknown[]] => [
        "eth_getBlobSidecarByTxHash",
        params,
      ]),
    ),
  ];
  const known = await Promise.all(calls.map(([method, params]) => chain.askNode(method, params)));

  for (const [at, [method, params]] of calls.entries()) {
    assert.deepEqual(await chain.ask(method, params), known[at], `from the node: ${method} ${JSON.stringify(params)}`);
  }
  await archive(t, opened);
  chain.loseBlobs();

  for (const [at, [method, params]] of calls.entries()) {
    assert.deepEqual(await chain.ask(method, params), known[at], `archived: ${method} ${JSON.stringify(params)}`);
  }
  const six = known[calls.findIndex(([, [hash]]) => hash === many)]!.result as SidecarRecord;
  assert.deepEqual(
    six.blobSidecar.blobs.map((blob) => (blob.length - 2) / 2),
    [131_072, 131_072, 131_072, 131_072, 131_072, 131_072],
  );
});

test("a node that denies blobs, or returns wrong ones, is not trusted", async (t) => {
  const opened = await openArchived(t);
  const { chain } = opened;
  const hash = await sendBlobs(chain, [ONE]);
  await chain.index();
  const record = (await chain.askNode("eth_getBlobSidecarByTxHash", [hash])).result as SidecarRecord;

  const gone = (what: string) => ({
    error: {
      code: -32_000,
      message: `the blobs of ${what} are not available: neither a node nor the archive has them`,
    },
  });
  const expectGone = async () => {
    assert.deepEqual(await chain.ask("eth_getBlobSidecars", ["0x1"]), gone("block 1"));
    assert.deepEqual(await chain.ask("eth_getBlobSidecars", ["0x1", false]), gone("block 1"));
    assert.deepEqual(await chain.ask("eth_getBlobSidecarByTxHash", [hash]), gone(`transaction ${hash}`));
  };

  chain.loseBlobs();
  await expectGone();
  const other = { ...record.blobSidecar, commitments: [toHex(LINE.commitment)] };
  chain.loseBlobs([{ ...record, blobSidecar: other }]);
  await expectGone();

  await archive(t, opened);
  assert.deepEqual(await opened.blobs.read([versionedHash(ONE.commitment)]), [undefined]);
});

/** A beacon node that answers some paths with what is under `data`, and others with a status alone. */
async function openBeacon(t: TestContext, answers: Readonly<Record<string, unknown>>) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url!);
    const found = answers[request.url!] ?? 404;
    response.writeHead(typeof found === "number" ? found : 200, { "content-type": "application/json" });
    response.end(JSON.stringify({ data: found }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const beacon = new Beacon(`http://127.0.0.1:${(server.address() as AddressInfo).port}/key/`);
  t.after(() => beacon.close());
  return { beacon, asked };
}

/** Fetches the blobs of blocks from a beacon node alone; answers what was wrong. */
async function fetchFrom(
  t: TestContext,
  beacon: Beacon,
  opened: Awaited<ReturnType<typeof openArchived>>,
  last: number,
) {
  const { chain, blobs, keeper } = opened;
  const errors: string[] = [];
  const fetcher = new BlobFetcher({
    sources: [async () => undefined, sidecarsOfBeacon(beacon, { prove: async (blob) => proveBlob(blob) })],
    hasAll: (names) => blobs.hasAll(names),
    keep: (block) => keeper.keep(block),
    onError: (reason) => errors.push(reason),
  });
  t.after(() => fetcher.close());
  const nodes = openPool([chain.url]);
  t.after(() => nodes.close());
  for (let number = 1; number <= last; number++) fetcher.note((await nodes.block(number))!);
  await fetcher.idle();
  return errors;
}

const timeOf = async ({ node }: GatewayChain, block: number) =>
  Number((await node.ask<{ timestamp: Hex }>("eth_getBlockByNumber", quantity(block), false)).timestamp);

test("with a node without blob methods, unknown transactions are null and unavailable blobs an error", async (t) => {
  const opened = await openArchived(t);
  const { chain } = opened;
  await sendBlobs(chain, [ONE]);
  await archive(t, opened);
  const kept = (await chain.askNode("eth_getBlobSidecars", ["0x1"])).result;
  const hash = await sendBlobs(chain, [LINE]);
  const plain = await chain.node.send({ value: 1n });
  await chain.index();
  const unindexed = await sendBlobs(chain, [LINE]);
  const unindexedPlain = await chain.node.send({ value: 1n });
  await chain.node.ask("evm_setAutomine", false);
  const pending = await sendBlobs(chain, [LINE]);
  const none = `0x${"7".repeat(64)}`;
  chain.removeBlobMethods();
  const ask = async (method: string, id: unknown, isFull = true) => {
    const { result, error } = await chain.ask(method, [id, isFull]);
    return error === undefined ? result : `${error.code} ${error.message}`;
  };
  const gone = (what: string) =>
    `-32000 the blobs of ${what} are not available: neither a node nor the archive has them`;

  for (const isFull of [true, false]) {
    const blocks = async (id: unknown) => ask("eth_getBlobSidecars", id, isFull);
    for (const id of ["0x99", none, { blockHash: none }, "pending"]) assert.equal(await blocks(id), null, String(id));
    for (const id of ["0x0", "0x3", "0x5", "latest", "earliest"]) assert.deepEqual(await blocks(id), [], id);
    const absent = [2, 4].map(async (number) => assert.equal(await blocks(quantity(number)), gone(`block ${number}`)));
    const transactions = async (id: string) => ask("eth_getBlobSidecarByTxHash", id, isFull);
    for (const id of [none, plain, unindexedPlain, pending]) assert.equal(await transactions(id), null, id);
    for (const id of [hash, unindexed]) {
      absent.push(transactions(id).then((answer) => assert.equal(answer, gone(`transaction ${id}`))));
    }
    await Promise.all(absent);
  }
  assert.match(String(await ask("eth_getBlobSidecars", "0x")), /^-32602 /);
  assert.match(String(await ask("eth_getBlobSidecarByTxHash", "0x12")), /^-32602 /);
  assert.deepEqual(await ask("eth_getBlobSidecars", "0x1"), kept);
});

test("blobs of a block that is about to be indexed are waited for", async (t) => {
  const opened = await openArchived(t);
  const { chain } = opened;
  await chain.index();
  const hash = await sendBlobs(chain, [ONE]);
  const calls: [string, unknown[]][] = ["0x1", "latest"].flatMap((id) => [
    ["eth_getBlobSidecars", [id]],
    ["eth_getBlobSidecars", [id, false]],
  ]);
  calls.push(["eth_getBlobSidecarByTxHash", [hash]], ["eth_getBlobSidecarByTxHash", [hash, false]]);
  const known = await Promise.all(calls.map(([method, params]) => chain.askNode(method, params)));
  await archive(t, opened);
  chain.removeBlobMethods();

  const waiting = Promise.all(calls.map(([method, params]) => chain.ask(method, params)));
  await delay(300);
  await chain.index();

  assert.deepEqual(await waiting, known);
});

test("blobs of a block are not waited for while the index is far behind", async (t) => {
  const { chain } = await openArchived(t);
  await chain.index();
  await chain.node.ask("hardhat_mine", quantity(MAX_BLOCKS_BEHIND));
  const hash = await sendBlobs(chain, [ONE]);
  chain.removeBlobMethods();
  const begun = performance.now();

  const { error } = await chain.ask("eth_getBlobSidecarByTxHash", [hash]);

  assert.equal(error?.code, -32_000);
  assert.ok(performance.now() - begun < INDEX_WAIT);
});

test("blobs of a node that cannot be reached may still be there", async (t) => {
  const { chain } = await openArchived(t);
  const hash = await sendBlobs(chain, [ONE]);
  await chain.index();

  chain.stopNode();

  const { error } = await chain.ask("eth_getBlobSidecarByTxHash", [hash]);
  assert.deepEqual(error, { code: -32_603, message: "the node cannot be reached or is overloaded" });
});

test("blobs come from a beacon node where the node has none", async (t) => {
  const opened = await openArchived(t);
  const { chain } = opened;
  await sendBlobs(chain, [LINE, ONE]);
  await chain.index();
  const data = [ONE, CURVE, LINE].map(({ blob, commitment, proof }) => ({
    blob: toHex(blob),
    kzg_commitment: toHex(commitment),
    kzg_proof: toHex(proof),
  }));
  const answers: Record<string, unknown> = {
    "/key/eth/v1/beacon/genesis": { genesis_time: String((await timeOf(chain, 1)) - 120) },
    "/key/eth/v1/config/spec": { SECONDS_PER_SLOT: "12" },
    "/key/eth/v1/beacon/blob_sidecars/10": data,
  };
  const { beacon, asked } = await openBeacon(t, answers);

  const errors = await fetchFrom(t, beacon, opened, 1);

  chain.loseBlobs();
  const { result } = await chain.ask("eth_getBlobSidecars", [quantity(1)]);
  const [{ blobSidecar }] = result as [SidecarRecord];
  assert.deepEqual(blobSidecar.blobs, [toHex(LINE.blob), toHex(ONE.blob)]);
  assert.deepEqual([asked, errors], [Object.keys(answers), []]);
});

test("a beacon node that has blobs alone is asked for these, and what proves them is computed", async (t) => {
  const opened = await openArchived(t);
  const { chain } = opened;
  await sendBlobs(chain, [LINE, ONE]);
  await chain.node.ask("evm_increaseTime", 12);
  await sendBlobs(chain, [ZERO]);
  await chain.index();
  const genesis = await timeOf(chain, 1);
  const slot = Math.floor((await timeOf(chain, 2)) - genesis);
  const { beacon, asked } = await openBeacon(t, {
    "/key/eth/v1/beacon/genesis": { genesis_time: String(genesis) },
    "/key/eth/v1/config/spec": { SLOT_DURATION_MS: "1000" },
    "/key/eth/v1/beacon/blob_sidecars/0": 410,
    "/key/eth/v1/beacon/blobs/0": [LINE, ONE].map(({ blob }) => toHex(blob)),
    [`/key/eth/v1/beacon/blobs/${slot}`]: [toHex(ZERO.blob)],
  });

  const errors = await fetchFrom(t, beacon, opened, 2);

  chain.loseBlobs();
  const { result } = await chain.ask("eth_getBlobSidecars", [quantity(1)]);
  const [{ blobSidecar }] = result as [SidecarRecord];
  assert.deepEqual(blobSidecar.blobs, [toHex(LINE.blob), toHex(ONE.blob)]);
  assert.deepEqual(blobSidecar.commitments, [toHex(LINE.commitment), toHex(ONE.commitment)]);
  assert.deepEqual(blobSidecar.proofs, [toHex(LINE.proof), toHex(ONE.proof)]);
  assert.notEqual((await chain.ask("eth_getBlobSidecars", [quantity(2)])).result, null);
  // That which had none is not asked again.
  const paths = asked.map((path) => path.slice("/key/eth/v1/".length));
  const blobs = ["beacon/blob_sidecars/0", "beacon/blobs/0", `beacon/blobs/${slot}`];
  assert.deepEqual([paths, errors], [["beacon/genesis", "config/spec", ...blobs], []]);
});

test("a beacon node that has other blobs, too many of them, or what is no blob, is not believed", async (t) => {
  const opened = await openArchived(t);
  const { chain, blobs } = opened;
  await sendBlobs(chain, [ONE]);
  await chain.index();
  const genesis = { genesis_time: String(await timeOf(chain, 1)) };
  const lies: readonly (readonly [string[], RegExp | undefined])[] = [
    [[toHex(ZERO.blob)], undefined],
    [[toHex(ONE.blob), toHex(ONE.blob)], undefined],
    [["0x1234"], /blob/],
    [[`0x${"ff".repeat(131_072)}`], /./],
  ];

  for (const [data, trouble] of lies) {
    const { beacon } = await openBeacon(t, {
      "/key/eth/v1/beacon/genesis": genesis,
      "/key/eth/v1/config/spec": { SECONDS_PER_SLOT: "12" },
      "/key/eth/v1/beacon/blobs/0": data,
    });
    const [found] = await fetchFrom(t, beacon, opened, 1);
    assert.match(found ?? "", trouble ?? /^$/);
    assert.deepEqual(await blobs.read([versionedHash(ONE.commitment)]), [undefined]);
  }
});

test("missing blobs of indexed blocks are fetched later, and retried while they may still appear", async (t) => {
  const opened = await openArchived(t);
  const { chain, blobs, keeper } = opened;
  await sendBlobs(chain, [ONE]);
  await chain.node.send({ value: 1n });
  await sendBlobs(chain, [LINE, ZERO]);
  await chain.index();
  const asked: string[] = [];
  let isLost = true;
  const ofNodes = sidecarsOfNodes(async (method, params) => {
    asked.push(String(params[0]));
    return isLost ? ["[]"] : [JSON.stringify((await chain.askNode(method, params)).result)];
  });
  const fetcher = new BlobFetcher({
    sources: [ofNodes],
    hasAll: (names) => blobs.hasAll(names),
    keep: (block) => keeper.keep(block),
  });
  t.after(() => fetcher.close());
  const cursor = { read: () => blobs.readCursor(), write: (block: number) => blobs.writeCursor(block) };
  let later = 0;
  const now = () => Date.now() / 1000 + later;
  const options = { store: chain.store, fetch: (block: BlobBlock) => fetcher.fetch(block), cursor, now };
  const run = async (window = NODE_RETENTION) => {
    asked.length = 0;
    await backfillBlobs({ ...options, window }, new AbortController().signal);
    return asked.length;
  };
  const names = [ONE, LINE, ZERO].map(({ commitment }) => versionedHash(commitment));

  assert.equal(await run(), 2);
  isLost = false;
  later = NODE_RETENTION + 60;
  assert.equal(await run(), 0, "what no node has any more is not asked for");
  later = 0;
  assert.equal(await run(), 2);
  assert.deepEqual(
    (await blobs.read(names)).map((blob) => toHex(blob!.data)),
    [ONE, LINE, ZERO].map(({ blob }) => toHex(blob)),
  );
  assert.equal(await run(), 0);
});

test("the backfill resumes after its last block, but retries what may still appear", async (t) => {
  const blobs = new BlobStore(temporaryDirectory(t));
  t.after(() => blobs.close());
  const point = new Uint8Array(48);
  await blobs.add([{ name: new Uint8Array(32), data: ONE.blob, commitment: point, proof: point }]);
  const chain = await GatewayChain.open(t);
  await sendBlobs(chain, [ONE]);
  await chain.node.ask("anvil_mine", "0x64");
  await chain.index();
  const cursor = { read: () => blobs.readCursor(), write: (block: number) => blobs.writeCursor(block) };
  const options = { store: chain.store, cursor, window: NODE_RETENTION };
  const run = async (isFound: boolean, later: number) => {
    let asked = 0;
    const fetch = async () => ++asked > 0 && isFound;
    await backfillBlobs({ ...options, fetch, now: () => Date.now() / 1000 + later }, new AbortController().signal);
    return [asked, await blobs.readCursor()];
  };

  assert.deepEqual(await run(false, 0), [1, 1]);
  assert.deepEqual(await run(false, BLOB_SEARCH_SECONDS + 600), [1, 37]);
  assert.deepEqual(await run(false, 0), [0, 37]);
});

test("blobs are removed once they were kept for as long as they are to be", async (t) => {
  const blobs = new BlobStore(temporaryDirectory(t));
  t.after(() => blobs.close());
  const point = new Uint8Array(48);
  const names = Array.from({ length: 130 }, (_, at) => new Uint8Array(32).fill(at));
  const kept = names.map((name) => ({ name, data: ZERO.blob, commitment: point, proof: point }));
  await blobs.add(kept.slice(0, 120), 1_000_000);
  await blobs.add(kept.slice(120), 9_000_000);
  const signal = new AbortController().signal;

  await blobs.removeBefore(1_000_000, signal);
  assert.ok(await blobs.hasAll(names));
  await blobs.removeBefore(5_000_000, signal);

  assert.equal(await blobs.hasAll(names.slice(0, 1)), false);
  assert.equal((await blobs.read(names)).filter((blob) => blob !== undefined).length, 10);
});

/** A file with what cannot be compressed, as many blobs as are named. */
async function keepRandom(blobs: BlobStore, count: number, now: number): Promise<void> {
  const point = new Uint8Array(48);
  for (let at = 0; at < count; at++) {
    const name = new Uint8Array(32).fill(at);
    await blobs.add([{ name, data: randomBytes(131_072), commitment: point, proof: point }], now);
  }
}

test("the file of blobs becomes smaller when blobs are removed, step by step", async (t) => {
  const directory = temporaryDirectory(t);
  const file = join(directory, "blobs.sqlite");
  const [blobs, reader] = [new BlobStore(directory), new BlobStore(directory)];
  await keepRandom(blobs, 100, 1_000_000);
  await keepRandom(blobs, 8, 9_000_000);
  const names = Array.from({ length: 8 }, (_, at) => new Uint8Array(32).fill(at));
  const kept = await reader.read(names);

  const removing = blobs.removeBefore(5_000_000, new AbortController().signal);
  const { longestCpu } = await waitsDuring(removing, async () => {});
  await removing;
  await reader.close();
  await blobs.close();

  const { size } = statSync(file);
  assert.ok(size > 8 * 131_072 && size < 10 * 131_072, `${size}`);
  t.diagnostic(`one step took ${longestCpu.toFixed(1)} ms at most`);
  assert.ok(longestCpu < 100);
  const again = new BlobStore(directory);
  t.after(() => again.close());
  assert.deepEqual(await again.read(names), kept);
});

test("a file of blobs that was made without keeps its size, and its room is used again", async (t) => {
  const directory = temporaryDirectory(t);
  const file = join(directory, "blobs.sqlite");
  const before = new DatabaseSync(file);
  before.exec("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL;");
  before.close();
  const sizes: number[] = [];
  for (const now of [1_000_000, 9_000_000]) {
    const blobs = new BlobStore(directory);
    await keepRandom(blobs, 20, now);
    await blobs.removeBefore(now + 1000, new AbortController().signal);
    assert.equal(await blobs.size(), 0);
    await blobs.close();
    sizes.push(statSync(file).size);
  }

  assert.ok(sizes[0]! > 20 * 131_072);
  assert.equal(sizes[1], sizes[0]);
});

test("blobs are stored compressed where that helps", async (t) => {
  const blobs = new BlobStore(temporaryDirectory(t));
  t.after(() => blobs.close());
  const random = new Uint8Array(131_072).map(() => Math.floor(Math.random() * 256));
  const point = new Uint8Array(48);
  const names = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  const data = [ONE.blob, random];

  await blobs.add(names.map((name, at) => ({ name, data: data[at]!, commitment: point, proof: point })));

  const kept = await blobs.read(names);
  assert.deepEqual(
    kept.map((blob) => toHex(blob!.data)),
    data.map((blob) => toHex(blob)),
  );
  assert.ok((await blobs.size()) < 200_000);
});
