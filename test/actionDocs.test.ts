import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { MAX_BALANCES, MAX_ROWS } from "../src/api/action/account.ts";
import { ACTIONS } from "../src/api/action/actions.ts";
import { MAX_ADDRESSES } from "../src/api/action/balance.ts";
import { CHAIN_LIST_PATH } from "../src/api/action/chainList.ts";
import { MAX_CREATIONS, MAX_LISTED } from "../src/api/action/contract.ts";
import { ACTION_PATHS } from "../src/api/action/describe.ts";
import { ACTION_FORMS } from "../src/api/action/forms.ts";
import { HELD_ROWS } from "../src/api/action/holdings.ts";
import { MAX_LOGS } from "../src/api/action/logs.ts";
import { MAX_PARAMETERS } from "../src/api/action/parameters.ts";
import { MAX_INFO_LOGS } from "../src/api/action/transaction.ts";
import { TIMEOUT } from "../src/api/action/verification.ts";
import { MAX_FIELDS } from "../src/api/http/formError.ts";
import { BURST_SECONDS } from "../src/api/http/rateLimit.ts";
import { MAX_FORM } from "../src/api/http/readForm.ts";
import type { ActionForms } from "../src/api/openapi/operation.ts";
import { EXPLORER_PATHS } from "../src/api/rpc/describe.ts";
import { MAX_VALUES } from "../src/jsonrpc/jsonFault.ts";
import { MAX_CODES_SEARCHED } from "../src/query/accounts/contracts.ts";
import { MAX_DAYS } from "../src/query/blocks/dailyTotals.ts";
import { BATCH_SIZE, MAX_SEARCHED as MAX_ITEMS_SEARCHED } from "../src/query/blockWindow.ts";
import { LIST_BATCH_SIZE, MAX_LOG_DATA, MAX_SEARCHED } from "../src/query/logs/findLogs.ts";
import { MAX_SCANNED_ASSETS } from "../src/query/tokens/heldAssets.ts";
import { MAX_INPUT } from "../src/query/transactions/addressHistory.ts";
import { PART } from "../src/store/read/logRows.ts";
import { MAX_LOG_DATA as MAX_DATA } from "../src/store/read/logs.ts";
import { CODE_TIMEOUT } from "../src/verify/verifier.ts";
import { serveChain } from "./support/api.ts";

const page = readFileSync("docs/action-api.md", "utf8");
const number = (value: number) => value.toLocaleString("en-US");

test("the table of actions is that of the code", () => {
  const documented = [...page.matchAll(/^\| `(\w+)`\s+\| `(\w+)`/gm)].map(
    ([, module, action]) => `${module}/${action}`,
  );
  const served = Object.entries(ACTIONS).flatMap(([module, actions]) =>
    Object.keys(actions).map((action) => `${module}/${action}`),
  );
  assert.deepEqual(documented.sort(), served.sort());
});

test("every action has a form, whose parameters are documented", () => {
  const namesOf = (modules: object) =>
    Object.entries(modules).flatMap(([module, actions]) => Object.keys(actions).map((name) => `${module}/${name}`));
  const parameters = Object.values(ACTION_FORMS as ActionForms).flatMap((actions) =>
    Object.values(actions).flatMap(({ required, optional }) => [...required, ...optional]),
  );
  const isListed = (name: string) =>
    page.includes(`\`${name}\``) ||
    /^(library(name|address)\d+|library\d+(Name|Address)|topic\d(_\d_opr)?)$/.test(name);

  assert.deepEqual(namesOf(ACTION_FORMS).sort(), namesOf(ACTIONS).sort());
  assert.deepEqual(
    [...new Set(parameters)].filter((name) => !isListed(name)),
    [],
  );
});

test("Etherscan's names are answered or unknown, as the table says", async (t) => {
  const served = await serveChain({ seed: 1, blocks: 1 });
  t.after(() => served.close());
  const table = page.slice(
    page.indexOf("Every name that Etherscan documents"),
    page.indexOf("### Balances at a block"),
  );
  const rows = [...table.matchAll(/^\| `([\w/ ]+)`\s+\| (\w+)/gm)].map(([, name = "", here]) => [name, here] as const);

  assert.ok(rows.length > 80, String(rows.length));
  assert.equal(new Set(rows.map(([name]) => name)).size, rows.length);
  for (const [name, here] of rows) {
    const [module = "", action = ""] = name.split("/");
    const url = name.startsWith("GET ") ? name.slice(4) : `/v2/api?module=${module}&action=${action}`;
    const { statusCode, body } = await served.app.inject(url);
    const isUnknown = statusCode === 400 && /Unknown (module|action)/.test(body);
    assert.equal(isUnknown, here === "none", `${name}: ${body}`);
    assert.match(String(here), /^(answered|none)$/);
  }
});

test("the limits are those of the code", () => {
  for (const text of [
    `at most ${MAX_PARAMETERS} parameters, and a body at most ${MAX_FORM >> 20} MiB`,
    `A form has at most ${number(MAX_FIELDS)} fields and a body of JSON at most ${number(MAX_VALUES)} values`,
    `${number(MAX_ROWS)} by default and at most`,
    `\`tokenlist\` is ${number(MAX_BALANCES)} by default and at most`,
    `10 by default and at most ${number(MAX_BALANCES)}`,
    `\`getTokenHolders\`, \`listaccounts\` and of \`listcontracts\` 10 by default and at most ${number(MAX_LISTED)}`,
    `have ${HELD_ROWS.usual} rows on a page by default and at most ${number(HELD_ROWS.max)}`,
    `at most ${number(MAX_SCANNED_ASSETS)} items of an address`,
    `searches at most ${number(MAX_ITEMS_SEARCHED)} blocks`,
    `read every block of the days, ${number(MAX_ITEMS_SEARCHED)} at most`,
    `At most ${number(MAX_DAYS)} days are listed`,
    `saved up in ${BURST_SECONDS} seconds`,
    `are ${Number.MAX_SAFE_INTEGER}.`,
    `\`${CHAIN_LIST_PATH}\``.replace("`/", "`GET /"),
    `at most ${number(MAX_CODES_SEARCHED)} contracts are searched`,
    `\`address\`: up to ${MAX_ADDRESSES}, separated by commas`,
    `\`contractaddresses\`: up to ${MAX_CREATIONS}, separated by commas`,
    `waits up to ${TIMEOUT / 1000} seconds for a source`,
    `waits up to ${CODE_TIMEOUT / 1000} seconds for the node to have code`,
    `\`gettxinfo\` has ${MAX_INFO_LOGS} logs on a page, or fewer if they have more than ${MAX_DATA >> 20} MiB`,
    `${number(MAX_LOGS)} by default and at most`,
    `${number(MAX_ITEMS_SEARCHED)} transactions or transfers are searched`,
    `at most ${MAX_INPUT >> 20} MiB of input`,
    `up to ${number(MAX_SEARCHED.listed)} that the address`,
    `at most ${number(MAX_SEARCHED.scanned)}`,
    `${MAX_LOG_DATA >> 20} MiB of data`,
    `${BATCH_SIZE} transactions, transfers or blocks, ${number(LIST_BATCH_SIZE)} logs of a list`,
    `${number(PART.logs)} logs of a range, and fewer if they have more than ${PART.data >> 20} MiB of data`,
    ...[...ACTION_PATHS, ...EXPLORER_PATHS].map((path) => `\`${path}\``),
  ]) {
    assert.ok(page.replaceAll("\n  ", " ").replaceAll("\n", " ").includes(text), text);
  }
});
