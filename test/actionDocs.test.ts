import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { MOST_BALANCES, MOST_ROWS } from "../src/api/action/account.ts";
import { ACTIONS } from "../src/api/action/actions.ts";
import { MAX_ADDRESSES } from "../src/api/action/balance.ts";
import { MAX_CREATIONS, MOST_LISTED } from "../src/api/action/contract.ts";
import { ACTION_PATHS } from "../src/api/action/describe.ts";
import { MOST_LOGS } from "../src/api/action/logs.ts";
import { MOST_PARAMETERS } from "../src/api/action/parameters.ts";
import { MOST_INFO_LOGS } from "../src/api/action/transaction.ts";
import { PATIENCE } from "../src/api/action/verification.ts";
import { MAX_FIELDS } from "../src/api/http/formError.ts";
import { MAX_FORM } from "../src/api/http/readForm.ts";
import { EXPLORER_PATHS } from "../src/api/rpc/describe.ts";
import { MOST_CODES_SEARCHED } from "../src/query/accounts/contracts.ts";
import { AT_ONCE, MOST_SEARCHED as MOST_ITEMS_SEARCHED } from "../src/query/blockWindow.ts";
import { LISTED_AT_ONCE, MOST_LOG_DATA, MOST_SEARCHED } from "../src/query/logs/findLogs.ts";
import { MOST_INPUT } from "../src/query/transactions/addressHistory.ts";
import { MAX_VALUES } from "../src/std/jsonFault.ts";
import { PART } from "../src/store/read/logRows.ts";
import { MOST_LOG_DATA as MOST_DATA } from "../src/store/read/logs.ts";
import { CODE_PATIENCE } from "../src/verify/verifier.ts";

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

test("the limits are those of the code", () => {
  for (const text of [
    `at most ${MOST_PARAMETERS} parameters, and a body at most ${MAX_FORM >> 20} MiB`,
    `A form has at most ${number(MAX_FIELDS)} fields and a body of JSON at most ${number(MAX_VALUES)} values`,
    `${number(MOST_ROWS)} by default and at most`,
    `\`tokenlist\` is ${number(MOST_BALANCES)} by default and at most`,
    `10 by default and at most ${number(MOST_BALANCES)}`,
    `\`getTokenHolders\`, \`listaccounts\` and of \`listcontracts\` 10 by default and at most ${number(MOST_LISTED)}`,
    `at most ${number(MOST_CODES_SEARCHED)} contracts are searched`,
    `\`address\`: up to ${MAX_ADDRESSES}, separated by commas`,
    `\`contractaddresses\`: up to ${MAX_CREATIONS}, separated by commas`,
    `waits up to ${PATIENCE / 1000} seconds for a source`,
    `waits up to ${CODE_PATIENCE / 1000} seconds for the node to have code`,
    `\`gettxinfo\` has ${MOST_INFO_LOGS} logs on a page, or fewer if they have more than ${MOST_DATA >> 20} MiB`,
    `${number(MOST_LOGS)} by default and at most`,
    `${number(MOST_ITEMS_SEARCHED)} transactions or transfers are searched`,
    `at most ${MOST_INPUT >> 20} MiB of input`,
    `up to ${number(MOST_SEARCHED.listed)} that the address`,
    `at most ${number(MOST_SEARCHED.scanned)}`,
    `${MOST_LOG_DATA >> 20} MiB of data`,
    `${AT_ONCE} transactions, transfers or blocks, ${number(LISTED_AT_ONCE)} logs of a list`,
    `${number(PART.logs)} logs of a range, and fewer if they have more than ${PART.data >> 20} MiB of data`,
    ...[...ACTION_PATHS, ...EXPLORER_PATHS].map((path) => `\`${path}\``),
  ]) {
    assert.ok(page.replaceAll("\n  ", " ").replaceAll("\n", " ").includes(text), text);
  }
});
