import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { ACTION_PATHS } from "../src/api/action/describe.ts";
import { ERROR_RESPONSES } from "../src/api/http/failure.ts";
import { DOCUMENT_PATHS } from "../src/api/openapi/routes.ts";
import { MAX_PAGES, MAX_ROWS } from "../src/api/rest/csv/serveCsv.ts";
import { ROUTES } from "../src/api/rest/routes.ts";
import { MAX_QUICK } from "../src/api/rest/search/searchRoutes.ts";
import { UPDATE } from "../src/api/rest/stats/presentStats.ts";
import { MAIN_PAGE } from "../src/api/rest/stats/statsRoutes.ts";
import { LISTED } from "../src/api/rest/transactions/presentTransaction.ts";
import { MAX_BODY, MAX_WAITING } from "../src/api/rpc/routes.ts";
import { checksumAddress } from "../src/chain/encoding/checksum.ts";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { fromHex } from "../src/chain/encoding/hex.ts";
import type { ErrorCode } from "../src/chain/error.ts";
import { ERROR_CODES } from "../src/chain/error.ts";
import { FINALIZED_DEPTH, SAFE_DEPTH } from "../src/chain/finality.ts";
import { CHECKS } from "../src/chain/integrity/checks.ts";
import { RESTART_DELAY } from "../src/cli/indexerThread.ts";
import { LINE_EVERY, QUIET_EVERY } from "../src/cli/progress.ts";
import type { Command } from "../src/commands.ts";
import { COMMANDS } from "../src/commands.ts";
import { environmentName, SETTINGS, type SettingName } from "../src/config.ts";
import { Demonstration } from "../src/demo/demonstration.ts";
import { specOf } from "../src/demo/scene/spec.ts";
import { KINDS } from "../src/demo/traffic/mix.ts";
import { AGAIN_EVERY, MAX_REFUSALS } from "../src/indexer/balances/balanceFollower.ts";
import { ASKED_AGAIN, BALANCE_BATCH } from "../src/indexer/balances/balancePlan.ts";
import { BALANCE_BATCH_SIZE } from "../src/indexer/balances/balanceReader.ts";
import { BATCH_LIMITS } from "../src/indexer/batch.ts";
import { CONFIRM_CHECKS, CONFIRM_MILLISECONDS, MAX_ABANDONED } from "../src/indexer/branches.ts";
import { MAX_TRANSFERS } from "../src/indexer/events/omission.ts";
import { FETCH_LIMITS } from "../src/indexer/fetchAhead.ts";
import { PROVEN_AFTER } from "../src/indexer/integrityPolicy.ts";
import { ROUND } from "../src/indexer/observe/observationRounds.ts";
import { RECONCILED } from "../src/indexer/observe/poolObserver.ts";
import { RARELY, REFRESH, RETRIES } from "../src/indexer/observe/schedule.ts";
import { readInvocation } from "../src/invocation.ts";
import { MAX_CALLS, MAX_RESULT } from "../src/jsonrpc/envelope.ts";
import { MAX_TRACE_CHARACTERS } from "../src/node/call/trace/traceSize.ts";
import { CONSOLE_LIMITS } from "../src/node/console/contractConsole.ts";
import { MAX_FILTER_VALUES, MAX_FILTERS, MAX_POLLED_BLOCKS } from "../src/node/logs/filters.ts";
import { MAX_LOG_BLOCKS } from "../src/node/logs/logRange.ts";
import { MAX_LOGS } from "../src/node/logs/searchLogs.ts";
import { BATCH_TIME } from "../src/node/node.ts";
import { POOL_LIMITS } from "../src/node/pool/eviction.ts";
import { MAX_STATE_BYTES } from "../src/node/rpc/development/dump/jsonText.ts";
import { MAX_BLOCKS } from "../src/node/rpc/fees/feeHistory.ts";
import { PUBLIC_METHODS, TRUSTED_METHODS } from "../src/node/rpc/registry.ts";
import { MAX_STORAGE_SLOTS } from "../src/node/rpc/state/stateMethods.ts";
import { READ_TIME } from "../src/node/state/pace.ts";
import { MAX_BEHIND } from "../src/query/accounts/accounts.ts";
import { MAX_CONTRACTS } from "../src/query/contracts/verifiedContracts.ts";
import { MAX_LISTED_INPUT_LENGTH } from "../src/query/decode/decoder.ts";
import { READY_LAG } from "../src/query/indexStatus.ts";
import { MAX_KEPT_LENGTH } from "../src/query/itemMetadata.ts";
import { MAX_SCANNED } from "../src/query/listWalk.ts";
import { MAX_FRAMES, MAX_TRACED } from "../src/query/node/contractCreators.ts";
import { MAX_ASKED } from "../src/query/node/nodeBalances.ts";
import { MAX_POOL, MAX_TRACE } from "../src/query/node/readThrough.ts";
import { MAX_ACCOUNTS, RANKING_AGE } from "../src/query/ranking/accountRanking.ts";
import { PRICED_BLOCKS, PRICED_TRANSACTIONS, RECENT_BLOCKS } from "../src/query/stats/chainFigures.ts";
import { CHART_DAYS } from "../src/query/stats/charts.ts";
import { FEE_BLOCKS, PERCENTILES } from "../src/query/stats/gasPrices.ts";
import { MAX_SCANNED_ASSETS } from "../src/query/tokens/heldAssets.ts";
import { MAX_SCANNED_ITEMS, MAX_SCANNED_TOKENS } from "../src/query/tokens/manyItems.ts";
import { MAX_METADATA_DEPTH, MAX_SHOWN_URI } from "../src/query/tokens/metadata.ts";
import { MAX_COLLECTIONS, MAX_SHOWN_ITEMS } from "../src/query/tokens/ownItems.ts";
import { MAX_LATER_TRANSFERS } from "../src/query/traces/tokenBalances.ts";
import { MAX_CHANGING } from "../src/query/traces/tokenChanges.ts";
import { MAX_AUTHORITIES, MAX_EARLIER } from "../src/query/transactions/authorizations.ts";
import { MAX_NAMING } from "../src/query/transactions/blobs.ts";
import { MAX_LISTED_INPUT } from "../src/query/transactions/listedInputs.ts";
import { MAX_SORTED } from "../src/query/transactions/sortedTransactions.ts";
import { MAX_RETURNED } from "../src/source/calls.ts";
import { DOCUMENT_AGE, DOCUMENT_TIME, MAX_DOCUMENT, MAX_FETCHED } from "../src/source/documents/documents.ts";
import { SETTLED_MILLISECONDS } from "../src/source/headReader.ts";
import { MAX_RECEIPTS_BYTES } from "../src/source/receipts.ts";
import { MAX_LOG_DATA } from "../src/store/read/logs.ts";
import { MAX_SLOTS } from "../src/store/rows/position.ts";
import { MAX_REPEATED } from "../src/store/stages/exchange/observe/poolObservations.ts";
import { MAX_POLLED_ACCOUNTS } from "../src/store/stages/native/polledAccounts.ts";
import { DEPOSITORS } from "../src/store/stages/tokens/read/holderSample.ts";
import { MAX_MATCHES, MAX_NAMESAKES, MAX_SCANNED_POSITIONS } from "../src/store/stages/tokens/read/nameReads.ts";
import { MAX_MERGED } from "../src/store/stages/tokens/read/rankReads.ts";
import { RANGE } from "../src/store/stages/tokens/tables/assetCounts.ts";
import { MAX_CARRIED, MAX_DEPOSITORS } from "../src/store/stages/tokens/tables/depositLedger.ts";
import { TOKEN_LABELS } from "../src/store/stages/tokens/tables/tokenLabels.ts";
import { MAX_NAME_CHARACTERS, MAX_TEXT_LENGTH } from "../src/store/stages/tokens/tables/tokenNames.ts";
import { MAX_COINS } from "../src/store/stages/tokens/tables/wrappedCoins.ts";
import { JOURNALED_BLOCKS } from "../src/store/store.ts";
import type { Json, Served } from "./support/api.ts";
import { serveChain } from "./support/api.ts";
import { API_DOCUMENTS, RECORDS, rewriteApiTables, sectionOf } from "./support/apiTables.ts";
import type { Section, Table } from "./support/markdown.ts";
import { plain, readSections, slug } from "./support/markdown.ts";
import { observeAll } from "./support/namedTokens.ts";
import { plainLedger } from "./support/plainLedger.ts";
import { plainLogs } from "./support/plainLogs.ts";
import { handleFor } from "./support/portNode.ts";
import { addressesIn } from "./support/restOracle.ts";
import { routesOf } from "./support/routes.ts";

const ROOT = resolve(import.meta.dirname, "..");
const DOCUMENTS = globSync("**/*.md", { cwd: ROOT, exclude: ["node_modules/**", "**/node_modules/**"] });

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

function section(path: string, title: string): Section {
  const found = readSections(join(ROOT, path)).get(title);
  assert.ok(found, `${path} has a section "${title}"`);
  return found;
}

/** The only table of a section, or the one at a place. */
function table(path: string, title: string, at = 0): Table {
  const found = section(path, title).tables[at];
  assert.ok(found, `${path} has a table in "${title}"`);
  return found;
}

const column = (rows: Table, name: string) => rows.map((row) => plain(row[name]!));

interface Shown {
  readonly meaning: string;
  readonly value?: string;
  readonly default?: string;
}

describe("configuration.md", () => {
  test("lists every setting as the program has it, and no other", () => {
    const rows = (Object.entries(SETTINGS) as [SettingName, Shown][]).map(([name, setting]) => ({
      Flag: `\`--${name}${setting.value === undefined ? "" : ` ${setting.value}`}\``,
      Environment: `\`${environmentName(name)}\``,
      Default: setting.default === undefined ? "" : `\`${setting.default}\``,
      Commands: commandsOf(name)
        .map((command) => `\`${command}\``)
        .join(" "),
      Meaning: setting.meaning,
    }));

    assert.deepEqual(table("docs/configuration.md", "Settings"), rows);
  });

  test("shows a file that the program reads as it stands", () => {
    const [file] = section("docs/configuration.md", "The file").code("json");
    const folder = mkdtempSync(join(tmpdir(), "oriel-docs-"));
    const path = join(folder, "oriel.json");
    writeFileSync(path, file!);

    const { settings } = readInvocation(["start", "--config", path], {});

    rmSync(folder, { recursive: true });
    const names = Object.keys(JSON.parse(file!)) as SettingName[];
    for (const name of names) assert.notEqual(settings[name], undefined, name);
  });
});

function commandsOf(name: SettingName): string[] {
  const uses = ([, { settings }]: [string, { settings: readonly SettingName[] }]) => settings.includes(name);
  return Object.entries(COMMANDS)
    .filter(uses)
    .map(([command]) => command);
}

describe("errors.md", () => {
  const rows = table("docs/errors.md", "Errors");

  test("lists every code with its meaning and what REST answers, and no other", () => {
    const expected = (Object.keys(ERROR_CODES) as ErrorCode[]).map((code) => {
      const answer: { status: number; retryAfter?: number } = ERROR_RESPONSES[code];
      return [code, ERROR_CODES[code], String(answer.status), String(answer.retryAfter ?? "")];
    });

    const documented = rows.map((row) => [plain(row.Code!), row.Meaning, row["REST status"], row["Retry-After"]]);
    assert.deepEqual(documented, expected);
  });

  test("has the exit codes that the command line returns", () => {
    const folder = mkdtempSync(join(tmpdir(), "oriel-docs-"));
    writeFileSync(
      join(folder, "index.sqlite"),
      "no database, but long enough to be taken for one by its size".repeat(99),
    );
    const run = (...args: string[]) => {
      const main = join(ROOT, "src/main.ts");
      return spawnSync(process.execPath, [main, ...args], { cwd: folder, env: {}, encoding: "utf8" });
    };
    const exits: Partial<Record<ErrorCode, number | null>> = {
      invalid_argument: run("start", "--port", "x").status,
      not_found: run("audit", "--data", join(folder, "absent")).status,
      store_corrupt: run("audit", "--data", folder).status,
    };

    rmSync(folder, { recursive: true });
    for (const row of rows) {
      const code = plain(row.Code!) as ErrorCode;
      assert.equal(row["Exit code"], code === "invalid_argument" ? "2" : "1", code);
      if (exits[code] !== undefined) assert.equal(row["Exit code"], String(exits[code]), code);
    }
    assert.equal(Object.keys(exits).length, 3);
  });
});

test("integrity.md lists every check with what it holds, and no other", () => {
  const rows = table("docs/integrity.md", "Integrity");

  assert.deepEqual(
    rows.map((row) => [plain(row.Check!), row["What must hold"]]),
    Object.entries(CHECKS),
  );
  assert.deepEqual(column(table("docs/integrity.md", "What a failure does"), "Mode"), ["auto", "enforce", "observe"]);
  assert.match(read("docs/integrity.md"), new RegExp(`held for ${PROVEN_AFTER} blocks`));
});

test("tokens.md has every label with what it says, and the distances the program keeps", () => {
  const rows = table("docs/tokens.md", "Labels").map((row) => [plain(row.Label!), row.Meaning]);
  const text = read("docs/tokens.md");

  assert.deepEqual(rows, Object.entries(TOKEN_LABELS));
  for (const blocks of [REFRESH, RARELY]) assert.ok(text.includes(`${blocks.toLocaleString("en")} blocks`));
  assert.ok(text.includes(`${RETRIES.slice(0, -1).join(", ")} and ${RETRIES.at(-1)} blocks`));
  assert.ok(text.includes(`${ROUND} tokens`));
  assert.ok(text.includes(`at most ${MAX_DEPOSITORS.toLocaleString("en")} addresses`));
  assert.ok(text.includes(`the first ${MAX_CARRIED} contracts`));
  assert.ok(text.includes(`Up to ${MAX_COINS} such coins`));
  assert.ok(text.includes(`for up to ${DEPOSITORS} depositors`));
  assert.ok(text.includes(`after ${RECONCILED} blocks, if it has changed`));
  assert.ok(text.includes(`at most ${MAX_REPEATED} pools`));
});

const grouped = (count: number) => count.toLocaleString("en");

test("tokens.md says how many transfers of a block are taken", () => {
  assert.match(read("docs/tokens.md"), new RegExp(`with up to ${grouped(MAX_TRANSFERS)} transfers`));
});

test("operations.md says how much is fetched and stored at once", () => {
  const text = read("docs/operations.md").replaceAll("\n", " ");
  assert.match(text, new RegExp(`about ${FETCH_LIMITS.bytes >> 20} MiB of decoded blocks`));
  assert.match(text, new RegExp(`over ${MAX_RECEIPTS_BYTES >> 20} MiB of JSON`));
  const { bytes, blocks, transfers } = BATCH_LIMITS;
  assert.match(
    text,
    new RegExp(`${bytes >> 20} MiB of blocks, at ${grouped(blocks)} blocks or at ${grouped(transfers)} transfers`),
  );
});

test("operations.md says how deep a reorg may be", () => {
  const { min, max } = JOURNALED_BLOCKS;
  assert.match(read("docs/operations.md"), new RegExp(`roll back the last ${min} blocks, [^.]* up to ${grouped(max)}`));
});

describe("the tables of the API", () => {
  for (const path of API_DOCUMENTS) {
    test(`${path} has them as the schemas do: npm run docs writes them`, () => {
      assert.deepEqual(read(path).split("\n"), rewriteApiTables(read(path)).split("\n"));
    });
  }

  test("list every field of every record once, and no other", () => {
    const sections = new Map(API_DOCUMENTS.flatMap((path) => [...readSections(join(ROOT, path))]));
    assert.ok(RECORDS.size > 20);
    for (const [title, { properties, required }] of RECORDS) {
      const tables = sections.get(sectionOf(title))?.tables.filter(([row]) => row?.Field !== undefined) ?? [];
      const listed = tables.map((rows) => column(rows, "Field"));
      assert.deepEqual(listed.flat().sort(), Object.keys(properties!).sort(), `${title} in the documents`);
      assert.deepEqual(listed[0]!.toSorted(), required!.toSorted(), title);
    }
  });

  test("are wrong as soon as a schema or a document says something else", () => {
    const path = "docs/explorer-api.md";
    const changes = [
      ["| `height`                      | number ", "| `height`                      | string "],
      ["the number of the block", "the number of the  block"],
      ["| `tx_count`  ", "| `txs_count` "],
      ["the chain does not record the", "this chain does not record the"],
      ["`/api/v2/blocks/{id}` ", "`/api/v2/blocks/{no}` "],
    ] as const;
    for (const [from, to] of changes) {
      const changed = read(path).replace(from, to);
      assert.notEqual(changed, read(path), from);
      assert.equal(rewriteApiTables(changed), read(path), from);
    }
  });
});

describe("what the app answers", () => {
  let served: Served;
  let blocks: Json[];
  let transactions: Json[];
  let list: Json;
  const tokenRecords: Record<string, Json[]> = { Token: [], Holder: [], "Token balance": [], "Token transfer": [] };
  const foundRecords: Record<string, Json[]> = {
    "Found token": [],
    "Found address": [],
    "Found block": [],
    "Found transaction": [],
    "Found blob": [],
    Redirect: [],
  };
  const records: Record<string, Json[]> = { Log: [], Blob: [], "Token counters": [] };
  const accountRecords: Record<string, Json[]> = {
    Account: [],
    "Account counters": [],
    "Account lists": [],
    Contract: [],
  };
  const figures: Record<string, Json[]> = {};
  const routes: string[] = [];

  before(async () => {
    served = await serveChain({
      seed: 3,
      blocks: 40,
      tokens: true,
      traffic: { byzantium: 4, extraFields: "oversized", deposits: true },
      rpc: (chain) => ({ handle: handleFor(chain) }),
    });
    blocks = [];
    transactions = [];
    for (let number = 0; number < served.chain.length; number++) {
      blocks.push((await served.get(`/api/v2/blocks/${number}`)).body);
      const hashes = served.chain.at(number)!.block.transactions.map(({ hash }) => hash);
      for (const hash of hashes) transactions.push((await served.get(`/api/v2/transactions/${hash}`)).body);
    }
    transactions.push((await served.get(`/api/v2/transactions/${served.chain.submit()}`)).body);
    const { hash } = transactions[0]!.from as Json;
    list = (await served.get(`/api/v2/addresses/${hash}/transactions?page_size=1`)).body;
    for (const [token, { balances }] of plainLedger(served.chain)) {
      const items = async (path: string) => (await served.get(`/api/v2/${path}?page_size=5`)).body.items as Json[];
      tokenRecords.Token!.push((await served.get(`/api/v2/tokens/${token}`)).body);
      records["Token counters"]!.push((await served.get(`/api/v2/tokens/${token}/counters`)).body);
      tokenRecords.Holder!.push(...(await items(`tokens/${token}/holders`)));
      tokenRecords["Token transfer"]!.push(...(await items(`tokens/${token}/transfers`)));
      const [holder] = balances.keys();
      if (holder !== undefined) {
        tokenRecords["Token balance"]!.push(...(await items(`addresses/${holder}/token-balances`)));
        tokenRecords["Token transfer"]!.push(...(await items(`addresses/${holder}/token-transfers`)));
      }
    }
    for (const { hash: sent } of transactions.filter(({ type }) => type === 3)) {
      records.Blob!.push(...((await served.get(`/api/v2/transactions/${sent}/blobs`)).body.items as Json[]));
      const [name] = served.chain.transactionByHash(String(sent))!.blobVersionedHashes as string[];
      records.Blob!.push((await served.get(`/api/v2/blobs/${name}`)).body);
    }
    for (const { transaction_hash, address } of plainLogs(served.chain).slice(0, 40)) {
      for (const path of [`transactions/${transaction_hash}`, `addresses/${address}`]) {
        records.Log!.push(...((await served.get(`/api/v2/${path}/logs`)).body.items as Json[]));
      }
    }
    for (const address of [...addressesIn(served.chain).slice(0, 60), ...plainLedger(served.chain).keys()]) {
      for (const [title, path] of [
        ["Account", `addresses/${address}`],
        ["Account counters", `addresses/${address}/counters`],
        ["Account lists", `addresses/${address}/tabs-counters`],
        ["Contract", `smart-contracts/${address}`],
      ] as const) {
        const { status, body } = await served.get(`/api/v2/${path}`);
        if (status === 200) accountRecords[title]!.push(body);
      }
    }
    await search();
    Object.assign(figures, await readFigures(served));
    routes.push(...(await routesOf(served.app)));
  });

  after(() => served.close());

  async function search(): Promise<void> {
    await observeAll(served.store, (token) => ({ name: "Coin", symbol: token % 2 === 0 ? null : "COIN" }));
    const [found, waiting] = [transactions[0]!, transactions.at(-1)!];
    const token = [...plainLedger(served.chain).keys()][0]!;
    const account = (found.from as Json).hash;
    const blob = records.Blob![0]!.hash;
    for (const query of ["coin", "1", token, account, `0x${"ab".repeat(20)}`, found.hash, waiting.hash, blob]) {
      for (const item of (await served.get(`/api/v2/search?q=${query}`)).body.items as Json[]) {
        const kind = item.type === "contract" ? "address" : item.type;
        foundRecords[`Found ${kind}`]!.push(item);
      }
      foundRecords.Redirect!.push((await served.get(`/api/v2/search/check-redirect?q=${query}`)).body);
    }
  }

  test("explorer-api.md lists every field of what a search finds, and the limits", () => {
    for (const [title, records] of Object.entries(foundRecords)) expectFields(records, title);
    const text = read("docs/explorer-api.md");
    for (const limit of [
      `first ${MAX_TEXT_LENGTH} characters of \`q\``,
      `first ${MAX_NAME_CHARACTERS} characters of a name`,
      `At most ${MAX_MATCHES.toLocaleString("en")} results`,
      `more than ${MAX_SCANNED_POSITIONS.toLocaleString("en")} positions`,
      `among the first ${MAX_NAMESAKES}`,
      `the first ${MAX_QUICK} results of a search`,
    ])
      assert.ok(text.includes(limit), limit);
    const example = JSON.parse(section("docs/explorer-api.md", "Redirect").code("json")[0]!) as Json;
    assert.deepEqual(Object.keys(example), Object.keys(foundRecords.Redirect![0]!));
  });

  test("explorer-api.md lists every path under /api/v2, and no other", () => {
    const paths = routes.filter((path) => path.startsWith("/api/v2/") && !path.endsWith("/csv"));
    const files = routes.filter((path) => path.endsWith("/csv")).map((path) => path.slice(0, -"/csv".length));
    assert.ok(paths.length > 0);

    assert.deepEqual(column(table("docs/explorer-api.md", "Explorer REST API"), "Path").sort(), paths.sort());
    const lists = ROUTES.filter(({ isList }) => isList).map(({ path }) => `/api/v2${path}`);
    assert.deepEqual(files.sort(), lists.sort());
  });

  test("the README names what every path begins with, operations.md every path of its own, and neither another", () => {
    const named = (rows: Table) => rows.flatMap((row) => row.Path!.split(" ").map(plain)).sort();
    const others: string[] = ["/rpc", ...ACTION_PATHS, ...Object.values(DOCUMENT_PATHS)];
    const own = routes.filter(
      (path) => !/^\/(api|v2|dexscreener|geckoterminal|subgraphs)\//.test(path) && !others.includes(path),
    );

    const roots = named(table("README.md", "What it serves"));
    // The module/action API is at one path, and what is under it is of others.
    const isUnder = (root: string) => (path: string) =>
      path === root || (root !== "/api" && path.startsWith(`${root}/`));
    assert.deepEqual(
      routes.filter((path) => !roots.some((root) => isUnder(root)(path))),
      [],
    );
    assert.deepEqual(
      roots.filter((root) => !routes.some(isUnder(root))),
      [],
    );
    assert.deepEqual(named(table("docs/operations.md", "Health")), own.sort());
  });

  test("json-rpc.md has a call that is answered as it says, and the limits", async () => {
    const title = section("docs/json-rpc.md", "JSON-RPC");
    const [, body, url] = /-d '(.*)' (\S+)/.exec(title.code("sh")[0]!)!;
    const headers = { "content-type": "application/json" };

    const answer = await served.app.inject({ method: "POST", url: new URL(url!).pathname, payload: body!, headers });

    assert.deepEqual(answer.json(), JSON.parse(title.code("json")[0]!));
    const text = read("docs/json-rpc.md");
    for (const limit of [`${MAX_BODY >> 20} MiB`, `${MAX_WAITING >> 20} MiB`, `${MAX_RESULT / 1e6} MB`])
      assert.ok(text.includes(limit), limit);
    assert.ok(text.includes(`${MAX_CALLS.toLocaleString("en")} calls`));
  });

  test("json-rpc.md lists every method, with who may use it, and no other", () => {
    const named = (title: string) =>
      table("docs/json-rpc.md", title).flatMap((row) => row.Methods!.split(" ").map(plain));

    assert.deepEqual(named("Methods for everyone").sort(), Object.keys(PUBLIC_METHODS).sort());
    assert.deepEqual(named("Methods for trusted callers").sort(), Object.keys(TRUSTED_METHODS).sort());
  });

  test("json-rpc.md gives the limits as they are", () => {
    const limits = column(table("docs/json-rpc.md", "Limits"), "At most").map((cell) => cell.replaceAll(",", ""));

    const [polled, logs, logBlocks, , , fees, slots] = limits.map(Number);
    assert.deepEqual([polled, logs, logBlocks], [MAX_POLLED_BLOCKS, MAX_LOGS, MAX_LOG_BLOCKS]);
    assert.equal(limits[4], `${MAX_FILTERS} ${MAX_FILTER_VALUES}`);
    assert.deepEqual([fees, slots], [MAX_BLOCKS, MAX_STORAGE_SLOTS]);
    const { transactions: pooled, queued, queuedOfOneSender, bytes } = POOL_LIMITS;
    const inPool = [`${pooled}`, `${queued} ${queuedOfOneSender}`, `${bytes >> 20} MiB`];
    const { length, linesOfASecond } = CONSOLE_LIMITS;
    const written = read("docs/json-rpc.md").replaceAll(/\s+/g, " ");
    assert.ok(
      written.includes(
        `at most ${length.toLocaleString("en")} characters, and a second at most ${linesOfASecond} lines`,
      ),
    );
    assert.ok(written.includes(`The JSON has at most ${MAX_STATE_BYTES >> 20} MiB`));
    const ofAnswers = [BATCH_TIME / 1000, MAX_RESULT, READ_TIME / 1000, MAX_TRACE_CHARACTERS].map(String);
    assert.deepEqual(limits.slice(7), [...inPool, ...ofAnswers]);
  });

  test("explorer-api.md lists every field of a block with its type, and no other", () => {
    expectFields(blocks, "Block");
  });

  test("explorer-api.md lists every field of a transaction with its type, and no other", () => {
    expectFields(transactions, "Transaction");
    const [, blobFields] = section("docs/explorer-api.md", "Transaction").tables;
    for (const tx of transactions) {
      const isBlob = column(blobFields!, "Field").every((field) => Object.hasOwn(tx, field));
      assert.equal(isBlob, tx.type === 3, String(tx.hash));
    }
  });

  test("explorer-api.md lists every field of a list, an address and an authorization, and no other", () => {
    expectFields([list], "List", 1);
    expectFields(
      [...transactions.map((tx) => tx.from as Json), ...blocks.map((block) => block.miner as Json)],
      "Address",
    );
    expectFields(
      transactions.flatMap((tx) => tx.authorization_list as Json[]),
      "Authorization",
    );
    assert.ok(read("docs/explorer-api.md").includes(`after the first ${MAX_AUTHORITIES}`));
  });

  test("explorer-api.md lists every field of what concerns tokens, and no other", () => {
    for (const [title, records] of Object.entries(tokenRecords)) expectFields(records, title);
    const totals = tokenRecords["Token transfer"]!.map(({ token_type, total }) => [
      token_type,
      Object.keys(total as Json),
    ]);
    const shapes = new Map(totals as [string, string[]][]);
    const meaning = table("docs/explorer-api.md", "Token transfer").find((row) => plain(row.Field!) === "total")!
      .Meaning!;
    assert.deepEqual(
      [...meaning.matchAll(/`(\w+)` and `(\w+)`/g)].map(([, a, b]) => [a, b]),
      [shapes.get("ERC-20"), shapes.get("ERC-721")],
    );
    assert.deepEqual(shapes.get("ERC-1155")!.length, 4);
    assert.match(read("docs/explorer-api.md"), new RegExp(`At most ${MAX_ASKED} balances`));
    assert.ok(read("docs/explorer-api.md").includes(`over ${MAX_MERGED.toLocaleString("en")} tokens away`));
    assert.ok(read("docs/explorer-api.md").includes(`at most ${(RANGE / 2).toLocaleString("en")} of the ids`));
  });

  test("explorer-api.md lists every field of logs, blobs and counters, and no other", () => {
    for (const [title, found] of Object.entries(records)) expectFields(found, title);
    assert.match(read("docs/explorer-api.md"), new RegExp(`over ${MAX_LOG_DATA >> 20} MiB`));
    for (const reported of [
      `inputs of more than ${MAX_LISTED_INPUT_LENGTH.toLocaleString("en")} bytes until they come to ${MAX_LISTED_INPUT >> 20} MiB on a page`,
      `longer than ${LISTED.extra.toLocaleString("en")} bytes as JSON`,
      `null in a list if there are more than ${LISTED.authorizations} `,
      `null in a list if there are more than ${LISTED.blobs} `,
      `up to ${MAX_EARLIER.toLocaleString("en")} earlier transactions`,
      `looks at up to ${MAX_SCANNED.toLocaleString("en")} items`,
      `By \`value\` or \`fee\` up to ${MAX_SORTED.toLocaleString("en")}\n`,
      `up to ${MAX_POOL >> 20} MiB of it`,
      `up to ${MAX_ROWS.toLocaleString("en")} rows`,
      `Up to ${MAX_LATER_TRANSFERS.toLocaleString("en")} later transfers`,
      `over ${MAX_CHANGING.toLocaleString("en")} token transfers`,
      `for up to ${MAX_ASKED} balances`,
      `Up to ${MAX_PAGES} pages of 200 items`,
    ]) {
      assert.ok(read("docs/explorer-api.md").includes(reported), reported);
    }
    assert.ok(read("docs/operations.md").includes(`can have ${MAX_SLOTS.toLocaleString("en")} transactions`));
    assert.ok(read("docs/explorer-api.md").includes(`the newest ${MAX_NAMING.toLocaleString("en")} of them`));
  });

  test("explorer-api.md and tokens.md say the bounds of instances, accounts and metadata", () => {
    const [many, kibibytes] = [(count: number) => count.toLocaleString("en"), (bytes: number) => `${bytes / 1024} KiB`];
    for (const reported of [
      `up to ${many(MAX_SCANNED_ASSETS)} ids; an address with more is answered with 413`,
      `Up to ${MAX_COLLECTIONS} are on a page. The ids of an address with over ${many(MAX_SCANNED_ASSETS)}`,
      `among the first ${many(MAX_SCANNED_ITEMS)} ids of each token. An address with over ${many(MAX_SCANNED_TOKENS)} tokens`,
      `up to ${MAX_SHOWN_ITEMS} of them: [instances]`,
      `those verified last first, up to ${MAX_CONTRACTS} on a page.`,
      `Such a ranking is kept for ${RANKING_AGE / 1000} seconds`,
      `if the index has seen over ${many(MAX_ACCOUNTS)} addresses`,
      `where it is over ${MAX_BEHIND} blocks behind`,
    ]) {
      assert.ok(read("docs/explorer-api.md").includes(reported), reported);
    }
    for (const reported of [
      `up to ${many(BALANCE_BATCH.accounts)} at a time and ${BALANCE_BATCH_SIZE} in one request`,
      `refuses the balances after a block ${MAX_REFUSALS} times`,
      `in turn, ${ASKED_AGAIN} every ${AGAIN_EVERY / 1000} seconds. The last ${MAX_POLLED_ACCOUNTS} accounts`,
    ]) {
      assert.ok(read("docs/traces.md").includes(reported), reported);
    }
    for (const reported of [
      `return ${kibibytes(MAX_RETURNED)}`,
      `may be ${kibibytes(MAX_DOCUMENT)} long and must arrive within ${DOCUMENT_TIME / 1000} seconds. Up to ${MAX_FETCHED} are fetched`,
      `kept for ${DOCUMENT_AGE / 60_000} minutes`,
      `nested at most ${MAX_METADATA_DEPTH} deep`,
      `the first ${many(MAX_SHOWN_URI)} characters`,
      `over ${many(MAX_KEPT_LENGTH)} characters`,
    ]) {
      assert.ok(read("docs/tokens.md").replace(/\s+/g, " ").includes(reported), reported);
    }
  });

  test("explorer-api.md lists every field of an account and a contract, and no other", () => {
    for (const [title, found] of Object.entries(accountRecords)) expectFields(found, title);
    assert.match(read("docs/explorer-api.md"), new RegExp(`at most ${MAX_TRACED} of them`));
    const passedOver = `over ${MAX_TRACE >> 20} MiB or of over ${MAX_FRAMES.toLocaleString("en")} calls`;
    assert.ok(read("docs/explorer-api.md").includes(passedOver));
  });

  test("explorer-api.md lists every figure of the chain as a whole, and the blocks they are taken over", () => {
    for (const [title, records] of Object.entries(figures)) expectFields(records, title);
    const text = read("docs/explorer-api.md");
    assert.deepEqual(
      [...text.matchAll(/the newest (\d+)(?:;| blocks)/g)].map(([, blocks]) => Number(blocks)),
      [RECENT_BLOCKS, RECENT_BLOCKS, PRICED_BLOCKS],
    );
    assert.ok(
      text.includes(
        `${Object.values(PERCENTILES)
          .join(", ")
          .replace(/, (\d+)$/, " or $1")} of a hundred`,
      ),
    );
    assert.ok(text.includes(`newest ${PRICED_TRANSACTIONS} in the newest`));
    assert.match(text, new RegExp(`most of the newest ${FEE_BLOCKS}\\s+blocks`));
    assert.ok(text.includes(`each of the last ${CHART_DAYS} days in UTC`));
    assert.ok(text.includes(`at most ${READY_LAG} blocks behind`));
    const update = [UPDATE.soonest, UPDATE.latest].map((ms) => ms.toLocaleString("en"));
    assert.ok(text.includes(`from ${update.join(" to ")}`));
    const { blocks, transactions } = MAIN_PAGE;
    assert.ok(text.includes(`default to ${blocks} blocks and ${transactions} transactions on a page`));
  });

  test("explorer-api.md gives a reason for every field that is null", () => {
    const rows = table("docs/explorer-api.md", "What is null today");

    assert.ok(rows.length > 10);
    for (const row of rows) assert.ok(row.Reason!.length > 10, row.Field!);
  });

  test("the examples of explorer-api.md have the form of the answers", () => {
    const example = (title: string) => JSON.parse(section("docs/explorer-api.md", title).code("json")[0]!) as Json;
    const plainBlock = blocks.find((block) => !Object.hasOwn(block, "extra"));
    const plainTransaction = transactions.find((tx) => tx.type === 2 && !Object.hasOwn(tx, "extra"));

    assert.deepEqual(Object.keys(example("List")), Object.keys(list));
    assert.deepEqual(Object.keys(example("Block")), keysWithout(plainBlock ?? blocks[0]!, ...EXTRA));
    assert.deepEqual(Object.keys(example("Log")), keysWithout(records.Log![0]!, ...EXTRA));
    assert.deepEqual(Object.keys(example("Token")), Object.keys(tokenRecords.Token![0]!));
    assert.deepEqual(Object.keys(example("Transaction")), keysWithout(plainTransaction!, ...EXTRA));
    assert.deepEqual(Object.keys(example("List").next_page_params as Json), Object.keys(list.next_page_params as Json));
  });

  test("operations.md lists every field of /status, and no other", async () => {
    const { body } = await served.get("/status");
    const rows = table("docs/operations.md", "Fields of `/status`");

    assert.deepEqual(column(rows, "Field"), Object.keys(body));
    const named = rows.find((row) => plain(row.Field!) === "totals")!.Meaning!.matchAll(/`(\w+)`/g);
    assert.deepEqual(
      [...named].map(([, name]) => name),
      Object.keys(body.totals as Json),
    );
  });

  test("operations.md lists every metric of ours with its meaning, and no other", async () => {
    const { body } = await served.app.inject({ method: "GET", url: "/metrics" });
    const ours = [...body.matchAll(/^# HELP (oriel_\w+) (.*)$/gm)].map(([, name, help]) => [name!, help!]);
    assert.ok(ours.length > 0);

    const rows = table("docs/operations.md", "Metrics").map((row) => [plain(row.Name!), row.Meaning!]);
    assert.deepEqual(rows.sort(), ours.sort());
  });
});

async function readFigures(served: Served): Promise<Record<string, Json[]>> {
  const empty = await serveChain({ seed: 3 });
  const of = async (path: string) => [(await served.get(path)).body, (await empty.get(path)).body];
  const headers = { "updated-gas-oracle": "true" };
  const full = (await served.app.inject({ method: "GET", url: "/api/v2/stats", headers })).json();
  const figures = {
    Stats: await of("/api/v2/stats"),
    "Gas price": Object.values(full.gas_prices) as Json[],
    "Transaction stats": await of("/api/v2/transactions/stats"),
    "Indexing status": await of("/api/v2/main-page/indexing-status"),
  };
  await empty.close();
  return figures;
}

const EXTRA = ["extra", "extra_omitted"];

const keysWithout = (record: Json, ...left: string[]) => Object.keys(record).filter((key) => !left.includes(key));

/** The first table of fields is of those every record has; further ones of those only some have. */
function expectFields(records: readonly Json[], title: string, first = 0): void {
  assert.ok(records.length > 0, `there are records for ${title}`);
  const tables = section("docs/explorer-api.md", title).tables.slice(first);
  const types = new Map(tables.flat().map((row) => [plain(row.Field!), row.Type!.split(" or ")]));
  const always = column(tables[0]!, "Field");
  const seen = new Set<string>();
  for (const record of records) {
    for (const field of always) assert.ok(Object.hasOwn(record, field), `${title} has ${field}`);
    for (const [field, value] of Object.entries(record)) {
      seen.add(field);
      const type = typeOf(value);
      assert.ok(
        types.get(field)?.includes(type),
        `${title}.${field} is documented as ${types.get(field)}, not ${type}`,
      );
    }
  }
  assert.deepEqual([...types.keys()].sort(), [...seen].sort(), title);
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

test("operations.md gives the times and numbers that following a node is bound by", () => {
  const text = read("docs/operations.md").replaceAll("\n", " ");
  const seconds = (milliseconds: number) => `${milliseconds / 1000} seconds`;
  for (const bound of [
    `lasted for ${seconds(CONFIRM_MILLISECONDS)} and at least ${CONFIRM_CHECKS} polls`,
    `the ${seconds(CONFIRM_MILLISECONDS)} start again`,
    `remembers the last ${MAX_ABANDONED} branches`,
    `has changed and ${seconds(SETTLED_MILLISECONDS)} have passed`,
    `safe ${SAFE_DEPTH} and as finalized ${FINALIZED_DEPTH} below`,
    `and so on up to ${seconds(RESTART_DELAY.longest)}`,
    `at most every ${seconds(LINE_EVERY)};`,
  ]) {
    assert.ok(text.includes(bound), bound);
  }
  assert.equal(RESTART_DELAY.first, 1000);
  assert.equal(QUIET_EVERY, 60_000);
});

describe("every document", () => {
  test("links to what is there", () => {
    assert.ok(DOCUMENTS.length > 10);
    for (const path of DOCUMENTS) {
      for (const [, target] of read(path).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(target!)) continue;
        const [file, anchor] = target!.split("#");
        const linked = file === "" ? join(ROOT, path) : join(ROOT, dirname(path), file!);
        assert.ok(existsSync(linked), `${path} links to ${target}`);
        if (anchor === undefined) continue;
        const anchors = [...readSections(linked).keys()].map(slug);
        assert.ok(anchors.includes(anchor), `${path} links to ${target}`);
      }
    }
  });

  test("names only files that are there, and folders that are or will be", () => {
    const planned = ["src/api/action/", "src/indexer/events/"];
    for (const path of DOCUMENTS) {
      for (const [, named] of read(path).matchAll(/`((?:src|test|bench|conformance|bin|docs)\/[\w./]*)`/g)) {
        assert.ok(existsSync(join(ROOT, named!)) || planned.includes(named!), `${path} names ${named}`);
      }
    }
  });

  test("names files below src that exist, where it leaves src out", () => {
    const folders = globSync("*/", { cwd: join(ROOT, "src") }).map((folder) => folder.replace("/", ""));
    const named = new RegExp(`\`((?:${folders.join("|")})/[\\w./]*)\``, "g");
    for (const path of ["ARCHITECTURE.md", "docs/internals.md"]) {
      const paths = [...read(path).matchAll(named)].map(([, file]) => file!);

      assert.ok(paths.length > 20, path);
      for (const file of paths) {
        const isThere = existsSync(join(ROOT, "src", file)) || existsSync(join(ROOT, file));
        assert.ok(isThere, `${path} names ${file}`);
      }
    }
  });

  test("names only settings that exist", () => {
    const ofForge = [
      "verifier",
      "verifier-url",
      "verify",
      "flatten",
      "watch",
      "network",
      "chain",
      "build-profile",
      "force",
    ];
    const ofCast = ["blob", "eip4844", "path"];
    const ofGeth = ["http", "ws"];
    const ofSystem = ["prefix", "pwprompt", "save-dev", "hostname"];
    const ofDeployment = [
      "file",
      "from-literal",
      "now",
      "platform",
      "read-only",
      "set",
      "shell",
      "strict",
      "system",
      "tmpfs",
    ];
    const ofNode = ["v8-pool-size"];
    const ofTools = [...ofForge, ...ofCast, ...ofGeth, ...ofSystem, ...ofDeployment, ...ofNode];
    const ofOthers = ["help", "version", "test", "omit", ...ofTools, ...benchFlags()];
    for (const path of DOCUMENTS) {
      for (const [, flag] of read(path).matchAll(/(?<![\w-])--(?:no-)?([a-z][a-z\d-]*)/g)) {
        assert.ok(Object.hasOwn(SETTINGS, flag!) || ofOthers.includes(flag!), `${path} names --${flag}`);
      }
    }
  });

  test("names no path of a developer's machine and no host but examples", () => {
    const hosts = ["127.0.0.1", "localhost", "node.example"];
    for (const path of DOCUMENTS) {
      const text = read(path);
      assert.doesNotMatch(text, /(?<![\w.])\/(work|root|home|tmp|Users)\//, path);
      assert.doesNotMatch(text, /registry/i, path);
      for (const [url] of text.matchAll(/\b(?:https?|wss?):\/\/[^\s)`"'|,]+/g)) {
        assert.ok(hosts.includes(new URL(url).hostname), `${path} names ${url}`);
      }
    }
  });

  test("of tutorials is run by a test", () => {
    const tests = globSync(["test/tutorials/*.test.ts", "test/clients/*.test.ts"], { cwd: ROOT }).map(read).join("");
    const tutorials = DOCUMENTS.filter((document) => document.startsWith("docs/tutorials/"));
    assert.ok(tutorials.length >= 6);
    for (const path of tutorials) {
      const name = path.split("/").at(-1)!.replace(".md", "");
      assert.ok(tests.includes(`runTutorial(t, "${name}"`) || tests.includes(path), path);
    }
  });

  test("of decisions is dated, and listed", () => {
    const listed = read("docs/decisions/README.md");
    for (const path of DOCUMENTS.filter((document) => /decisions\/(?!README)/.test(document))) {
      assert.match(read(path), /^# .+\n\n\d{4}-\d\d-\d\d\n/, path);
      assert.ok(listed.includes(`(${path.split("/").at(-1)})`), `${path} is listed`);
    }
  });
});

function benchFlags(): string[] {
  const texts = globSync("bench/*.ts", { cwd: ROOT }).map(read);
  return texts.flatMap((text) => [...text.matchAll(/(\w+): \{ type: "(?:string|boolean)"/g)].map(([, name]) => name!));
}

describe("the commands of documents and of deploy/", () => {
  /** Lines of shell blocks, with continued ones joined. */
  const shell = DOCUMENTS.flatMap((path) =>
    [...readSections(join(ROOT, path)).values()].flatMap(({ code }) =>
      code("sh").flatMap((block) =>
        block
          .replaceAll("\\\n", " ")
          .split("\n")
          .map((line) => [path, line] as const),
      ),
    ),
  );
  const deployed = globSync("deploy/**/*.{yaml,service}", { cwd: ROOT })
    .filter((path) => !path.includes("/helm/"))
    .flatMap((path) =>
      read(path)
        .split("\n")
        .map((line) => [path, line] as const),
    );

  /** The arguments of `oriel`, which has several names, or undefined for another command. */
  function argumentsOf(line: string): string[] | undefined {
    const command = line.replace(/ +#.*/, "").replaceAll("%i", "6770");
    const [, started, other] =
      /^npm start(?: -- (.*))?$/.exec(command) ??
      /^()(?:ExecStart=|(?:[A-Z_]+=\S+ )*)(?:npx |\/opt\/oriel\/(?:bin\/)?)?oriel (.*)$/.exec(command) ??
      /^()docker run .*\boriel:\S+ (.*)$/.exec(command) ??
      [];
    const text = other ?? (command.startsWith("npm start") ? `start ${started ?? ""}` : undefined);
    return text?.match(/"[^"]*"|\S+/g)?.filter((word) => word !== "");
  }

  test("are commands that the program takes, with settings that they have", () => {
    const invocations = [...shell, ...deployed].flatMap(([path, line]) => {
      const args = argumentsOf(line);
      return args === undefined ? [] : [{ path, line, args }];
    });

    assert.ok(invocations.length > 40, `${invocations.length}`);
    for (const { path, line, args } of invocations) {
      // The file is written by the reader.
      const given = args
        .join(" ")
        .replace(/ --config \S+/, "")
        .split(" ");
      const read = () => readInvocation(given, {});
      assert.doesNotThrow(read, `${path}: ${line}`);
      const { command, operands } = read();
      const { forms = {} } = COMMANDS[command as keyof typeof COMMANDS] as Command;
      const names = Object.keys(forms).map((form) => form.split(" ")[0]);
      if (names.length > 0) assert.ok(names.includes(operands[0]!), `${path}: ${line}`);
    }
  });

  test("run scripts and files that exist", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: object };
    const benchmarks = [...read("bench/main.ts").matchAll(/^ {2}(\w+): \(\) => import/gm)].map(([, name]) => name!);
    const ran = { scripts: 0, files: 0 };

    for (const [path, line] of [...shell, ...deployed]) {
      for (const [, script] of line.matchAll(/\bnpm run (\w+)/g)) {
        ran.scripts++;
        assert.ok(Object.hasOwn(scripts, script!), `${path}: ${line}`);
      }
      for (const [, name] of line.matchAll(/\bnpm run bench -- (\w+)/g))
        assert.ok(benchmarks.includes(name!), `${path}: ${line}`);
      if (path.startsWith("docs/tutorials/")) continue;
      for (const [file] of line.matchAll(/(?<![\w./])(?:bin|src|test|deploy)\/[\w./@-]+\b/g)) {
        if (file === "src/Counter.sol") continue;
        ran.files++;
        assert.ok(existsSync(join(ROOT, file)), `${path}: ${line}`);
      }
    }
    assert.ok(ran.scripts > 4 && ran.files > 10, JSON.stringify(ran));
  });

  test("and texts name variables of the environment that are read", () => {
    const sources = globSync(["{src,bin,test,bench,conformance}/**/*.{ts,js}"], { cwd: ROOT });
    const text = sources.map(read).join("\n");
    const settings = (Object.keys(SETTINGS) as SettingName[]).map(environmentName);
    for (const path of DOCUMENTS) {
      for (const [name] of read(path).matchAll(/\bORIEL_[A-Z_]*[A-Z]\b/g)) {
        const isRead = settings.includes(name) || new RegExp(`(?:env\\.|\\{ )${name}\\b`).test(text);
        assert.ok(isRead, `${path} names ${name}`);
      }
    }
  });
});

test("CONTRIBUTING.md names everything that tests read from the environment", () => {
  const files = globSync(["src/**/*.test.ts", "test/**/*.ts"], { cwd: ROOT });
  const used = new Set(
    files.flatMap((file) => [...read(file).matchAll(/process\.env\.(ORIEL_\w+)/g)].map(([, name]) => name!)),
  );
  assert.ok(used.size > 0);
  const documented = column(table("CONTRIBUTING.md", "Tests"), "Name");

  for (const name of used) assert.ok(documented.includes(name), name);
});

test("the README names the scripts of the package, the oldest Node and the current version", () => {
  const manifest = JSON.parse(read("package.json")) as { version: string; engines: { node: string }; scripts: object };
  const readme = read("README.md");

  assert.ok(readme.includes(`oriel ${manifest.version}: chain`));
  assert.ok(readme.includes(`Node ${manifest.engines.node.replace(">=", "")} or later`));
  for (const path of DOCUMENTS) {
    for (const [, script] of read(path).matchAll(/npm run (\w+)/g))
      assert.ok(Object.hasOwn(manifest.scripts, script!), script!);
  }
  assert.ok(readme.split("\n").length <= 100);
});

describe("demonstration.md", () => {
  const path = "docs/demonstration.md";

  for (const [title, network] of [
    ["Mainnet", "mainnet"],
    ["Testnet", "testnet"],
  ] as const) {
    test(`says where everything is on the ${network}`, () => {
      const at = Demonstration.addresses(network)!;
      const show = (address: Hex) => checksumAddress(fromHex(address));
      const everyToken = [at.wrapped, ...at.stables, ...at.tokens, at.deflating, at.copy];
      const { collection, items, wallet, proxy, factory, clone, v2, v3 } = at;
      const contracts = [v2.factory, v2.router, v3.factory, v3.positions, v3.router, v3.quoter];

      assert.deepEqual(
        table(path, title).map((row) => [row.Symbol, row.Name, row.Decimals, plain(row.Address!)]),
        everyToken.map(({ symbol, name, decimals, address }) => [symbol, name, String(decimals), show(address)]),
      );
      assert.deepEqual(
        column(table(path, title, 1), "Address"),
        [...contracts, collection, items, wallet, proxy, factory, clone].map(show),
      );
      assert.deepEqual(
        table(path, title, 2).map((row) => [row.Pool, row.Version, row.Fee, plain(row.Address!)]),
        [...v2.pairs, ...v3.pools].map(({ token0, token1, version, fee, address }) => {
          return [`${token0.symbol}/${token1.symbol}`, `V${version}`, String(fee), show(address)];
        }),
      );
    });
  }

  test("says what happens, and how often", () => {
    const rows = table(path, "Traffic").map((row) => [row.Action, row["Per thousand"]]);

    assert.deepEqual(
      rows,
      KINDS.map(({ name, weight }) => [name, String(weight)]),
    );
    assert.equal(
      KINDS.reduce((sum, { weight }) => sum + weight, 0),
      1000,
    );
  });

  test("says how many blocks the networks have, and names the packages as they are", () => {
    const text = read(path);
    const { optionalDependencies } = JSON.parse(read("package.json")) as {
      optionalDependencies: Record<string, string>;
    };

    for (const network of ["mainnet", "testnet"]) assert.match(text, new RegExp(`${specOf(network).blocks}\\b`));
    for (const row of table(path, "Sources and licences")) {
      assert.equal(optionalDependencies[row.Package!], row.Version);
      const { license } = JSON.parse(read(`node_modules/${row.Package}/package.json`)) as { license: string };
      assert.equal(license, row["Licence in its package.json"]);
    }
  });
});
