import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { BURST_SECONDS, BYTES_PER_UNIT, CALL_COSTS, COSTS, MAX_CLIENTS } from "../src/api/http/rateLimit.ts";
import { MAX_WAIT, MIN_WAITING } from "../src/api/http/requestQueue.ts";
import { MAX_IN_FLIGHT } from "../src/api/rpc/routes.ts";
import { UPKEEP_EVERY } from "../src/cli/blobArchive.ts";
import { MAX_PASSED } from "../src/cli/network.ts";
import { MAX_CACHED } from "../src/gateway/answerCache.ts";
import { FINALITY_LIFETIME } from "../src/gateway/finalizedHeight.ts";
import { SEARCH_TIME } from "../src/gateway/findRangeLogs.ts";
import { BATCH_CALLS } from "../src/gateway/gateway.ts";
import { DEVELOPMENT_PREFIXES, GATEWAY_METHODS, TRUSTED_PREFIXES } from "../src/gateway/methodTable.ts";
import { SHAPE_LIFETIME } from "../src/gateway/responseShapes.ts";
import { MAX_BLOCK_TRANSACTIONS } from "../src/gateway/storedAnswers.ts";
import { MAX_KEPT } from "../src/gateway/storedBlobs.ts";
import { MAX_LOGS } from "../src/gateway/storedLogs.ts";
import { BLOB_SEARCH_SECONDS, NODE_RETENTION } from "../src/indexer/blobBackfill.ts";
import { ASKED_AGAIN, MAX_WAITING } from "../src/indexer/blobFetcher.ts";
import { MAX_DEPTH, MAX_VALUES } from "../src/jsonrpc/jsonFault.ts";
import { MAX_LOG_BLOCKS } from "../src/node/logs/logRange.ts";
import { READ_TIME } from "../src/node/state/pace.ts";
import { MAX_LAG } from "../src/source/pool/agreement.ts";
import { MAX_CAUGHT_UP, MAX_FILTER_BYTES, MAX_FILTERS } from "../src/source/pool/filters.ts";
import { REST } from "../src/source/pool/member.ts";
import { BRANCH_TIMEOUT } from "../src/source/pool/members.ts";
import { plain, readSections } from "./support/markdown.ts";

const PAGE = join(resolve(import.meta.dirname, ".."), "docs/json-rpc.md");
const TEXT = readFileSync(PAGE, "utf8").replaceAll(/\s+/g, " ");

const grouped = (count: number) => count.toLocaleString("en");

test("json-rpc.md lists every method of a gateway with where it is answered, and no other", () => {
  const [rows = []] = readSections(PAGE).get("In front of a node")?.tables ?? [];

  const documented = rows.flatMap((row) => row.Methods!.split(" ").map((name) => [plain(name), plain(row.Handler!)]));
  assert.deepEqual(documented.sort(), Object.entries(GATEWAY_METHODS).sort());
});

test("operations.md says how several nodes are used", () => {
  const text = readFileSync(join(resolve(import.meta.dirname, ".."), "docs/operations.md"), "utf8");

  assert.ok(text.includes(`is followed after ${BRANCH_TIMEOUT / 1000} seconds`));
  assert.ok(text.includes(`at most ${REST.longest / 1000} seconds`));
  assert.ok(text.includes(`${grouped(MAX_FILTERS)} filters with ${MAX_FILTER_BYTES >> 20} MiB`));
  assert.ok(text.includes(`up to ${grouped(MAX_CAUGHT_UP)} of them`));
  assert.ok(text.includes(`more than ${MAX_LAG} blocks behind`));
});

test("operations.md has the units of the rate limit", () => {
  const page = readFileSync(join(resolve(import.meta.dirname, ".."), "docs/operations.md"), "utf8");
  const text = page
    .split("\n## ")
    .find((section) => section.startsWith("Rate limit"))!
    .replaceAll(/ +/g, " ");
  for (const [prefix, cost] of CALL_COSTS) {
    const row = text
      .split("\n")
      .find((line) => line.startsWith("|") && line.includes(`\`${prefix.replace(/_$/, "_…")}`));
    assert.ok(row?.trim().endsWith(`| ${cost} |`), prefix);
  }
  for (const cost of Object.values(COSTS)) assert.ok(text.includes(`| ${cost} |`), String(cost));
  assert.ok(text.includes(`| each ${BYTES_PER_UNIT >> 10} KiB of a body, added to the rest | 1 |`));
  assert.ok(text.includes(`those of ${BURST_SECONDS} seconds`));
  assert.ok(page.includes(`${MAX_WAIT.light} ms (a record) or a second`) && MAX_WAIT.heavy === 1000);
  assert.ok(page.includes(`once ${MIN_WAITING} requests wait`) && page.includes(`${grouped(MAX_IN_FLIGHT)} bodies`));
  assert.ok(text.includes(`${grouped(MAX_CLIENTS)} clients are remembered`));
});

test("json-rpc.md names what trusted callers may ask of a node, and the limits of a gateway", () => {
  for (const prefix of TRUSTED_PREFIXES) assert.ok(TEXT.includes(`\`${prefix}\``), prefix);
  for (const prefix of DEVELOPMENT_PREFIXES.filter((name) => name.endsWith("_"))) {
    assert.ok(TEXT.includes(`\`${prefix}\``), prefix);
  }
  assert.ok(TEXT.includes(`Up to ${BATCH_CALLS} calls of a batch`));
  assert.ok(TEXT.includes(`over ${grouped(MAX_DEPTH)} deep or with more than ${grouped(MAX_VALUES)} values`));
  assert.ok(TEXT.includes(`at most ${grouped(MAX_LOG_BLOCKS)} blocks and return at most ${grouped(MAX_LOGS)} logs`));
  assert.ok(TEXT.includes(`A range covers at most ${grouped(MAX_LOG_BLOCKS)} blocks`));
  assert.equal(SEARCH_TIME, READ_TIME);
  assert.ok(TEXT.includes("searched for at most ten seconds") && SEARCH_TIME === 10_000);
  assert.ok(TEXT.includes(`more than ${MAX_BLOCK_TRANSACTIONS} transactions`));
  assert.equal(SHAPE_LIFETIME, 10 * 60_000);
  assert.ok(TEXT.includes(`asked for ${ASKED_AGAIN.times} times again, after ${ASKED_AGAIN.after / 1000} seconds`));
  assert.ok(TEXT.includes(`Every ${UPKEEP_EVERY / 60_000} minutes`));
  assert.ok(TEXT.includes(`of the last ${Math.floor(NODE_RETENTION / BLOB_SEARCH_SECONDS)} days`));
  assert.equal(BLOB_SEARCH_SECONDS, 24 * 3600);
  assert.ok(TEXT.includes(`Up to ${grouped(MAX_WAITING)} blocks wait`));
  assert.ok(TEXT.includes(`Responses of up to ${MAX_KEPT >> 20} MiB`));
  assert.ok(TEXT.includes(`at most every ${FINALITY_LIFETIME / 1000} seconds`));
  assert.ok(TEXT.includes(`up to ${MAX_CACHED >> 20} MiB of them`));
  assert.ok(TEXT.includes(`passed on has ${MAX_PASSED >> 20} MiB`));
});
