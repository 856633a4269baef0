import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { formatUnits } from "viem";
import { columnsOf } from "../../src/api/rest/csv/csvColumns.ts";
import { linesOf } from "../../src/api/rest/csv/serveCsv.ts";
import { ROUTES } from "../../src/api/rest/routes.ts";
import type { Json } from "../support/api.ts";
import { plainTransfers } from "../support/plainLedger.ts";
import { Random } from "../support/random.ts";
import { firstSeed } from "../support/seed.ts";
import type { Site } from "../support/site.ts";
import { openSite, walk } from "../support/site.ts";
import { until } from "../support/waiting.ts";

const SEED = firstSeed();

/** The cells of a file, by RFC 4180. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let [row, at]: [string[], number] = [[], 0];
  while (at < text.length) {
    let cell = "";
    if (text[at] === '"') {
      for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) {
        if (text[at] === '"') at++;
        cell += text[at];
      }
      at++;
    } else while (!",\r".includes(text[at]!)) cell += text[at++];
    row.push(cell);
    if (text[at] === ",") at++;
    else {
      assert.equal(text.slice(at, at + 2), "\r\n");
      at += 2;
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

async function readCsv(site: Site, path: string) {
  const response = await site.app.inject({ method: "GET", url: `/api/v2/${path}` });
  return { status: response.statusCode, headers: response.headers, text: response.body };
}

/** Expected cell of a field, recomputed. */
function expectedCell(item: Json, column: string): string {
  const [name, inner] = column.split(".") as [string, string | undefined];
  let value: unknown = item[name];
  if (inner !== undefined) value = (value as Json | null | undefined)?.[inner];
  else if (typeof value === "object" && value !== null && "is_contract" in value)
    value = (value as unknown as Json).hash;
  if (value === null || value === undefined) return "";
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) return value.join(";");
  return JSON.stringify(value);
}

const unquoted = (cell: string) => cell.replace(/^'(?=[=+\-@\t\r])/, "");

test(`every list is served as a file with the same items (seed ${SEED})`, async (t) => {
  const site = await openSite(t, { seed: SEED, blocks: 30, traces: true, traffic: { logs: [0, 5], pools: 1 } });
  const random = new Random(SEED);
  const transfer = random.pick(plainTransfers(site.chain).filter(({ from }) => !/^0x0+$/.test(from)));
  const targets: Record<string, string> = { hash: transfer.transaction, id: String(transfer.block) };
  let rows = 0;
  for (const { path, isList } of ROUTES) {
    if (!isList) continue;
    const address = path.startsWith("/tokens") ? transfer.token : transfer.from;
    const filled = path.slice(1).replace(/\{(\w+)\}/g, (_, name: string) => targets[name] ?? address);
    const asked = filled === "search" ? "search?q=coin" : filled;
    const { status } = await site.fetch(asked);
    const file = await readCsv(site, asked.replace(/(\?|$)/, "/csv$1"));
    assert.equal(file.status, status, asked);
    if (status !== 200) continue;
    const items = await walk(site, asked, 100);
    const [head = [], ...cells] = parseCsv(file.text);
    assert.match(String(file.headers["content-type"]), /^text\/csv; charset=utf-8/);
    assert.match(String(file.headers["content-disposition"]), /^attachment; filename="[\w-]+\.csv"$/);
    assert.ok(head.length > 1 && new Set(head).size === head.length, asked);
    assert.deepEqual(
      cells.map((row) => row.map(unquoted)),
      items.map((item) => head.map((column) => expectedCell(item, column))),
      asked,
    );
    rows += cells.length;
  }
  assert.ok(rows > 300, String(rows));
});

const hashOf = (address: unknown) => (address as Json | null)?.hash ?? "";
const coins = (wei: unknown, decimals = 18) => formatUnits(BigInt(String(wei)), decimals);

/** Cells of readable files, recomputed. */
const READABLE: Readonly<Record<string, Readonly<Record<string, (item: Json) => unknown>>>> = {
  transactions: {
    Transaction: ({ hash }) => hash,
    "Time (UTC)": ({ timestamp }) => new Date(String(timestamp)).toISOString().replace("T", " ").slice(0, 19),
    From: ({ from }) => hashOf(from),
    To: ({ to }) => hashOf(to),
    Value: ({ value }) => coins(value),
    Fee: ({ fee }) => coins((fee as Json).value),
    "Gas price (Gwei)": ({ gas_price: price }) => coins(price, 9),
    Error: ({ status, result }) => (status === "ok" ? "" : result),
  },
  "token-transfers": {
    Token: ({ token }) => (token as Json).name ?? "",
    Amount: ({ total }) => {
      const { value, decimals } = total as Json;
      return value === undefined ? "1" : coins(value, Number(decimals ?? 0));
    },
    "Token id": ({ total }) => (total as Json).token_id ?? "",
  },
  "internal-transactions": { Value: ({ value }) => coins(value), Error: ({ error }) => error ?? "" },
  blocks: { Block: ({ height }) => height, "Burnt fees": ({ burnt_fees: fees }) => (fees === null ? "" : coins(fees)) },
  tokens: {
    Supply: ({ total_supply: supply, decimals }) => (supply === null ? "" : coins(supply, Number(decimals ?? 0))),
  },
  addresses: { Balance: ({ coin_balance: balance }) => coins(balance) },
};

test("readable files have few columns, with amounts in whole units", async (t) => {
  const site = await openSite(t, { seed: SEED, blocks: 30, traces: true, traffic: { logs: [0, 5], pools: 1 } });
  for (const [path, columns] of Object.entries(READABLE)) {
    const items = await walk(site, path, 100);
    const [head = [], ...rows] = parseCsv((await readCsv(site, `${path}/csv?columns=readable`)).text);
    assert.ok(rows.length > 0 && head.length <= 16, path);
    for (const [name, read] of Object.entries(columns)) {
      const cells = rows.map((row) => unquoted(row[head.indexOf(name)] ?? "missing"));
      assert.deepEqual(cells, items.map(read).map(String), `${path} ${name}`);
    }
  }
  const [all] = parseCsv((await readCsv(site, "transactions/csv?columns=all")).text);
  assert.ok(all!.includes("raw_input"));
  assert.equal((await readCsv(site, "transactions/csv?columns=few")).status, 422);
});

test("a file has the items of a period, and of a direction", async (t) => {
  const site = await openSite(t, { seed: SEED, blocks: 30 });
  const items = await walk(site, "transactions", 100);
  const times = [...new Set(items.map(({ timestamp }) => String(timestamp)))];
  const [to, from] = [times[Math.floor(times.length / 4)]!, times[Math.floor(times.length / 2)]!];
  const wanted = items.filter(({ timestamp }) => String(timestamp) >= from && String(timestamp) <= to);
  const sender = (items[0]!.from as Json).hash;

  const file = await readCsv(site, `transactions/csv?from_period=${from}&to_period=${Date.parse(to) / 1000}`);
  const sent = await readCsv(site, `addresses/${sender}/token-transfers/csv?filter_type=address&filter_value=from`);

  const [head = [], ...rows] = parseCsv(file.text);
  assert.deepEqual(
    rows.map((row) => row[head.indexOf("hash")]),
    wanted.map(({ hash }) => hash),
  );
  const [names = [], ...transfers] = parseCsv(sent.text);
  assert.ok(transfers.every((row) => row[names.indexOf("from")] === sender));
  for (const bad of [
    ...["transactions/csv?page=2", "transactions/csv?anchor=1-1", "transactions/csv?from_period=never"],
    ...[
      "transactions/csv?type=x",
      "tokens/csv?from_period=2020-01-01",
      "transactions/csv?filter_type=x&filter_value=y",
    ],
    "addresses/0x12/logs/csv",
  ])
    assert.equal((await readCsv(site, bad)).status, 422, bad);
});

test("a file ends at its bound, and one that cannot be finished breaks off", async () => {
  const route = ROUTES.find(({ path }) => path === "/transactions")!;
  const page = (at: number) => ({
    items: [{ hash: `0x${at}`, timestamp: "2024-01-01T00:00:00.000000Z" }],
    next_page_params: { page: at + 1 },
  });
  const read = async ({ page: number }: Json) => page(Number(number)) as never;
  const lines = (limits: { rows: number; pages: number }, period?: object) =>
    Array.fromAsync(linesOf(columnsOf(route.schema), page(1) as never, read as never, {}, period as never, limits));
  const never = { field: "timestamp", from: 0, to: 1, isNewestFirst: true };

  assert.equal(parseCsv((await lines({ rows: 7, pages: 100 })).join("")).length, 8);
  await assert.rejects(lines({ rows: 7, pages: 20 }, never), /over 20 pages/);
});

/** A file of many pages, and how often the index is read. */
async function openLong(t: TestContext) {
  const traffic = { transactions: [100, 120] as [number, number], logs: [0, 1] as [number, number] };
  const site = await openSite(t, { seed: SEED, blocks: 40, tokens: false, traffic });
  const reads = { count: 0 };
  const { store } = site;
  const read = store.read.bind(store);
  store.read = (work) => {
    reads.count++;
    return read(work);
  };
  const { port } = site.app.server.address() as AddressInfo;
  return { reads, url: `http://127.0.0.1:${port}/api/v2/transactions/csv` };
}

test("HEAD has the headers of a file and reads no more than a page, and is refused as a file is", async (t) => {
  const { reads, url } = await openLong(t);
  const whole = await fetch(url);
  assert.ok((await whole.text()).split("\r\n").length > 2000);
  const ofFile = reads.count;

  reads.count = 0;
  const head = await fetch(url, { method: "HEAD" });
  for (const name of ["content-type", "content-disposition"])
    assert.equal(head.headers.get(name), whole.headers.get(name));
  assert.deepEqual([head.status, await head.text()], [200, ""]);
  assert.ok(reads.count * 8 < ofFile, `${reads.count} of ${ofFile} reads`);
  assert.equal((await fetch(`${url}?page=2`, { method: "HEAD" })).status, 422);
});

test("a client that leaves in mid-stream ends the work", async (t) => {
  const { reads, url } = await openLong(t);
  const whole = await fetch(url);
  await whole.text();
  const ofFile = reads.count;

  reads.count = 0;
  const leaving = new AbortController();
  const response = await fetch(url, { signal: leaving.signal });
  await response.body!.getReader().read();
  leaving.abort();
  let before = -1;
  await until("nothing is read any more", async () => {
    const isStill = before === reads.count;
    before = reads.count;
    await setTimeout(100);
    return isStill && before === reads.count;
  });
  assert.ok(reads.count < ofFile, `${reads.count} of ${ofFile} reads`);
});

const COLUMNS = {
  transactions:
    "TxHash,BlockNumber,UnixTimestamp,FromAddress,ToAddress,ContractAddress,Type,Value,Fee,Status,ErrCode,CurrentPrice,TxDateOpeningPrice,TxDateClosingPrice",
  "token-transfers":
    "TxHash,BlockNumber,UnixTimestamp,FromAddress,ToAddress,TokenContractAddress,Type,TokenDecimals,TokenSymbol,TokensTransferred,TransactionFee,Status,ErrCode",
  "internal-transactions":
    "TxHash,Index,BlockNumber,BlockHash,TxIndex,BlockIndex,UnixTimestamp,FromAddress,ToAddress,ContractAddress,Type,CallType,Gas,GasUsed,Value,Input,Output,ErrCode",
  logs: "TxHash,Index,BlockNumber,BlockHash,ContractAddress,Data,FirstTopic,SecondTopic,ThirdTopic,FourthTopic",
};

test("compat blockscout: files of an address have the columns of Blockscout, and the items of the list", async (t) => {
  const traffic = { addresses: 5, logs: [1, 5] as const, transactions: [1, 5] as const };
  const options = { seed: 21, blocks: 25, traces: true, traffic };
  const site = await openSite(t, { ...options, settings: { compat: "blockscout" } });
  const owner = String(site.chain.at(5)!.block.transactions[0]?.from ?? site.chain.at(6)!.block.transactions[0]!.from);
  const { items: emitters } = await site.list("tokens");
  for (const [list, header] of Object.entries(COLUMNS)) {
    const path = `addresses/${list === "logs" ? emitters[0]!.address : owner}/${list}`;
    const items = await walk(site, path, 50);

    const [names, ...rows] = parseCsv((await readCsv(site, `${path}/csv`)).text);

    assert.equal(names!.join(), header, list);
    assert.ok(rows.length > 0, list);
    assert.equal(rows.length, items.length, list);
    for (const [at, item] of items.entries()) {
      const row = Object.fromEntries(names!.map((name, column) => [name, rows[at]![column]]));
      const { hash, transaction_hash, block_number, from, value, topics } = item;
      assert.deepEqual([row.TxHash, row.BlockNumber], [hash ?? transaction_hash, String(block_number)]);
      if (row.Type === "IN" || row.Type === "OUT") {
        assert.equal(row.Type === "OUT", String((from as Json).hash).toLowerCase() === owner.toLowerCase());
      }
      if (list === "transactions") {
        assert.deepEqual([row.Value, row.Fee, row.Status], [value, (item.fee as Json).value, item.status]);
        assert.equal(row.UnixTimestamp, String(item.timestamp).replace("T", " "));
      }
      if (list === "token-transfers") assert.equal(row.TokensTransferred, (item.total as Json).value ?? "");
      if (list === "logs") assert.equal(row.SecondTopic, (topics as (string | null)[])[1] ?? "");
    }
  }
  const plain = await openSite(t, options);
  const own = parseCsv((await readCsv(plain, `addresses/${owner}/transactions/csv`)).text);
  assert.equal(own[0]![0], "hash");
});
