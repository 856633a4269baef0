import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { MAX_FORM } from "../src/api/http/readForm.ts";
import { SUBMIT_ROUTES } from "../src/api/rest/contracts/submitSource.ts";
import { MAX_FILTERED } from "../src/query/accounts/contracts.ts";
import { MAX_LISTED_ABIS } from "../src/store/contracts/sources.ts";
import { MAX_DONE } from "../src/store/contracts/verificationJobs.ts";
import { MAX_ARTIFACT_LENGTH, VERIFICATION_LIMITS } from "../src/verify/verifyInSandbox.ts";
import { QUEUE_LIMITS } from "../src/verify/waitingJobs.ts";
import { readSections } from "./support/markdown.ts";

const PAGE = "docs/verification.md";
const page = readFileSync(PAGE, "utf8");

test("verification.md has the limits of the code", () => {
  const { milliseconds, bytes, output } = VERIFICATION_LIMITS;
  const megabytes = (size: number) => `${size >> 20} MiB`;
  const rows = readSections(PAGE).get("Limits")!.tables[0]!;

  assert.deepEqual(
    rows.map((row) => row.Limit),
    [
      megabytes(MAX_FORM),
      `${milliseconds / 1000} seconds, ${megabytes(bytes)}, ${megabytes(output)} of output`,
      `${QUEUE_LIMITS.all}, and ${QUEUE_LIMITS.client} of one client`,
      megabytes(MAX_ARTIFACT_LENGTH),
      MAX_DONE.toLocaleString("en"),
      `searches the first ${MAX_FILTERED.toLocaleString("en")} contracts`,
      megabytes(MAX_LISTED_ABIS),
    ],
  );
});

test("the tutorial has the command of forge that verification.md has", () => {
  const [command] = readSections("docs/tutorials/verification.md").get("forge")!.code("sh");

  assert.ok(page.includes(command!.replace("ADDRESS", "0x…")));
});

test("verification.md names the forms and all their fields", () => {
  for (const { via, body } of SUBMIT_ROUTES) {
    assert.ok(page.includes(`via/${via}`), via);
    for (const field of Object.keys((body as unknown as { properties: object }).properties)) {
      assert.ok(page.includes(`\`${field}\``) || page.includes(`'${field}=`) || page.includes(`-F ${field}=`), field);
    }
  }
});
