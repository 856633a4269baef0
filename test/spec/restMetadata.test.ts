import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { MetadataDocuments } from "../../src/query/itemMetadata.ts";
import { MAX_KEPT_LENGTH } from "../../src/query/itemMetadata.ts";
import { Upstream } from "../../src/source/upstream.ts";
import type { Json } from "../support/api.ts";
import type { PlainTransfer } from "../support/plainLedger.ts";
import type { ContractAnswer } from "../support/simulatedCalls.ts";
import { RpcError } from "../support/simulatedMethods.ts";
import { startSimulatedNode } from "../support/simulatedNode.ts";
import { simulatedSource } from "../support/simulatedSource.ts";
import { encodeText, wordOf } from "../support/simulatedTokens.ts";
import type { Site } from "../support/site.ts";
import { openSite } from "../support/site.ts";
import { plainTokens, typeOf } from "../support/tokenOracle.ts";

/** A site whose node answers contract calls with `contracts.answer`. */
async function openItems(t: TestContext, documents?: MetadataDocuments) {
  let upstream: Upstream | undefined;
  const site = await openSite(t, {
    seed: 7,
    source: (chain) => ({ ...simulatedSource(chain), call: (calls, at) => upstream!.call(calls, at) }),
    ...(documents && { documents }),
  });
  const contracts: { answer: ContractAnswer } = { answer: () => "0x" };
  const node = await startSimulatedNode(site.chain, { contracts: (...call) => contracts.answer(...call) });
  upstream = new Upstream({ url: node.url, retry: { attempts: 1, invalidAttempts: 1 }, sockets: 2 });
  t.after(async () => {
    await upstream.close();
    await node.close();
  });
  site.chain.mine(20);
  await site.index();
  const { ledger, transfers } = plainTokens(site.chain);
  const itemOf = (type: string): PlainTransfer => {
    const isById = ({ token }: PlainTransfer) => typeOf(ledger.get(token)!) === "ERC-1155";
    return transfers.find((one) => one.kind === type && isById(one) === (type === "ERC-1155"))!;
  };
  /** Each block has its own state, so that cached answers are dropped. */
  const read = async ({ token, id }: PlainTransfer, reported: unknown): Promise<Json> => {
    contracts.answer = () => {
      if (reported instanceof Error) throw reported;
      return typeof reported === "string" && !reported.startsWith("0x") ? encodeText(reported) : reported;
    };
    site.chain.mine(1);
    await site.index();
    const { status, body } = await site.fetch(`tokens/${token}/instances/${id}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  return { site, contracts, unique: itemOf("ERC-721"), item: itemOf("ERC-1155"), read };
}

const METADATA = {
  name: "Ä thing",
  image: "ipfs://image",
  external_url: "https://a.example",
  attributes: [{ a: [1] }],
};
const JSON_TEXT = JSON.stringify(METADATA);
const AS_BASE64 = `data:application/json;base64,${Buffer.from(JSON_TEXT).toString("base64")}`;

test("metadata in a data: URI are decoded, however it is spelled", async (t) => {
  const { unique, read } = await openItems(t);

  for (const uri of [
    AS_BASE64,
    `data:application/json,${encodeURIComponent(JSON_TEXT)}`,
    `data:application/json;utf8,${JSON_TEXT}`,
    `DATA:;charset=utf-8,${JSON_TEXT}`,
  ]) {
    const body = await read(unique, uri);

    assert.deepEqual([body.metadata, body.metadata_error, body.token_uri], [METADATA, null, uri]);
    assert.deepEqual([body.image_url, body.media_url, body.animation_url], ["ipfs://image", "ipfs://image", null]);
    assert.equal(body.external_app_url, "https://a.example");
  }
});

test("the contract is asked for the id, an ERC-1155 for `uri`, whose {id} is the id in hexadecimal", async (t) => {
  const asked: string[] = [];
  const documents = {
    read: async (uri: string) => {
      asked.push(uri);
      return JSON_TEXT;
    },
  };
  const { contracts, unique, item, site } = await openItems(t, documents);
  const calls: string[] = [];
  contracts.answer = (to, data) => {
    calls.push(`${to} ${data}`);
    return encodeText("https://a.example/{id}.json");
  };

  for (const { token, id } of [unique, item]) {
    const { body } = await site.fetch(`tokens/${token}/instances/${id}`);
    assert.deepEqual(body.metadata, METADATA);
  }

  const word = (id: bigint | undefined) => wordOf(id!);
  assert.deepEqual(calls, [`${unique.token} 0xc87b56dd${word(unique.id)}`, `${item.token} 0x0e89341c${word(item.id)}`]);
  assert.deepEqual(
    asked,
    [unique, item].map(({ id }) => `https://a.example/${word(id)}.json`),
  );
});

/** Invalid answers of contracts, and the reported problem. */
const BAD: Readonly<Record<string, readonly [reported: unknown, problem: RegExp]>> = {
  "10 MB": [encodeText("x".repeat(10_000_000)), /over 128 KiB/],
  nothing: ["0x", /no URI/],
  "no text": [`0x${wordOf(1)}`, /no URI/],
  "a revert": [new RpcError(3, "execution reverted"), /refuses the call/],
  "a URI of the local network": ["http://127.0.0.1:8545/", /not followed: no host is allowed/],
  "a URI of ipfs": ["ipfs://bafy/1", /not followed: no host is allowed/],
  "a file": ["file:///etc/passwd", /not followed: no host is allowed/],
  "no JSON": ["data:application/json,{", /no JSON/],
  "a list": ["data:application/json,[1]", /no JSON object/],
  "no data": ["data:application/json", /no data/],
  "deep nesting": [`data:application/json,{"a":${"[".repeat(40_000)}${"]".repeat(40_000)}}`, /nested over 32 deep/],
};

test("invalid metadata is reported with the problem", async (t) => {
  const { unique, read } = await openItems(t);

  for (const [what, [reported, problem]] of Object.entries(BAD)) {
    const { metadata, metadata_error, owner } = await read(unique, reported);

    assert.match(String(metadata_error), problem, what);
    assert.deepEqual([metadata, owner === undefined], [null, false], what);
  }
});

test("a long URI is shown in part", async (t) => {
  const { unique, read } = await openItems(t);

  const body = await read(unique, `data:application/json,{"name":"${"n".repeat(100_000)}"}`);

  assert.equal(String(body.token_uri).length, 2048);
  assert.equal((body.metadata as Json).name, "n".repeat(100_000));
});

/** The instances that lists show of an item, by the list. */
async function listed(site: Site, { token, id, to, transaction }: PlainTransfer): Promise<Json[]> {
  const isIt = (one: Json) => one.id === String(id);
  const ofTotal = ({ total }: Json) => ((total as Json).token_instance ?? {}) as Json;
  const holder = await site.list(`tokens/${token}/instances/${id}/holders`);
  const owner = (holder.items[0]?.address as Json | undefined)?.hash ?? to;
  const lists: Json[][] = [
    (await site.list(`tokens/${token}/instances`, { page_size: 1000 })).items,
    (await site.list(`tokens/${token}/instances/${id}/transfers`)).items.map(ofTotal),
    (await site.list(`transactions/${transaction}/token-transfers`)).items.map(ofTotal),
    (await site.list("token-transfers", { page_size: 1000 })).items.map(ofTotal),
    (await site.list("token-transfers?type=ERC-721,ERC-1155", { page_size: 1000 })).items.map(ofTotal),
    (await site.list(`addresses/${owner}/nft`, { page_size: 1000 })).items,
    (await site.list(`addresses/${owner}/nft/collections`)).items.flatMap((one) => one.token_instances as Json[]),
    (await site.list(`advanced-filters?token_contract_address_hashes_to_include=${token}`)).items.map(ofTotal),
    ((await site.fetch(`transactions/${transaction}`)).body.token_transfers as Json[]).map(ofTotal),
  ];
  return lists.map((items, at) => {
    const found = items.find(isIt);
    assert.ok(found, `list ${at}`);
    return found;
  });
}

test("lists show recently read metadata, ask no node, and drop those of an abandoned block", async (t) => {
  const { site, contracts, unique, read } = await openItems(t);
  const shown = async () => (await listed(site, unique)).map(({ metadata }) => metadata);
  const [none, all] = [Array(9).fill(null), Array(9).fill(METADATA)];
  assert.deepEqual(await shown(), none);

  const record = await read(unique, AS_BASE64);
  contracts.answer = () => assert.fail("a list asks for nothing");
  assert.deepEqual(await shown(), all);
  for (const item of await listed(site, unique)) {
    const { token, token_type, value, ...own } = item;
    const { token: _, ...whole } = record;
    assert.deepEqual(own, whole);
  }
  site.chain.mine(2);
  await site.index();
  assert.deepEqual(await shown(), all);
  site.chain.fork(3, 5);
  await site.index();
  assert.deepEqual(await shown(), none);
});

test("metadata are shown in a list that was cached without them, and long ones are not", async (t) => {
  const { site, unique, contracts } = await openItems(t);
  const path = `tokens/${unique.token}/instances?page_size=1000`;
  const metadataIn = async () => {
    const { items } = await site.list(path);
    return items.find(({ id }) => id === String(unique.id))!.metadata;
  };
  for (let time = 0; time < 3; time++) assert.equal(await metadataIn(), null);

  contracts.answer = () => encodeText(AS_BASE64);
  await site.fetch(`tokens/${unique.token}/instances/${unique.id}`);
  assert.deepEqual(await metadataIn(), METADATA);
  contracts.answer = () => encodeText(`data:application/json,{"name":"${"n".repeat(MAX_KEPT_LENGTH)}"}`);
  site.chain.mine(1);
  await site.index();
  await site.fetch(`tokens/${unique.token}/instances/${unique.id}`);
  assert.equal(await metadataIn(), null);
});
