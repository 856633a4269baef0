import assert from "node:assert/strict";
import { test } from "node:test";
import { CAN_LIMIT, limitFiles } from "../../../test/support/fileLimit.ts";
import { temporaryDirectory } from "../../../test/support/program.ts";
import { databasesAt, IN_MEMORY } from "../engine/databases.ts";
import { migrate } from "../schema/migrate.ts";
import { CONTRACT_MIGRATIONS } from "./schema.ts";
import { VerificationJobs } from "./verificationJobs.ts";

const job = (number: number) => ({
  guid: `g${number}`,
  address: new Uint8Array(20).fill(number % 7),
  client: "a",
  submitted: number,
  request: `{"number": ${number}}`,
});

test("as many jobs are remembered when they are done, and all that wait", async (t) => {
  const engine = await databasesAt(IN_MEMORY).open("contracts", {});
  t.after(() => engine.close());
  await migrate(engine, CONTRACT_MIGRATIONS);
  const max = 100;
  const jobs = new VerificationJobs(engine, max);
  const more = 30;
  for (let number = 0; number < more; number++) await jobs.add(job(number));
  for (let number = 5; number < more; number++)
    await jobs.finish(`g${number}`, { state: "failed", reason: `r${number}` });
  assert.equal(await jobs.request("g3"), '{"number": 3}');
  assert.equal(await jobs.request("g9"), "");
  assert.deepEqual(await jobs.lastResult(job(2).address), { state: "failed", reason: "r23", submitted: 23 });

  for (let number = more; number < max + 20; number++) {
    await jobs.add(job(number));
    await jobs.finish(`g${number}`, { state: "verified", reason: "" });
  }

  assert.deepEqual(
    (await jobs.waiting()).map(({ guid }) => guid),
    ["g0", "g1", "g2", "g3", "g4"],
  );
  assert.equal(await jobs.result("g18"), undefined);
  assert.deepEqual(await jobs.result("g25"), { state: "failed", reason: "r25", submitted: 25 });
  assert.deepEqual(await jobs.result("g0"), { state: "pending", reason: "", submitted: 0 });
});

test("a job for which there is no room on the disk is refused as such, and the next is taken", {
  skip: !CAN_LIMIT,
}, async (t) => {
  const engine = await databasesAt(temporaryDirectory(t)).open("contracts", {});
  t.after(() => engine.close());
  t.after(() => limitFiles());
  await migrate(engine, CONTRACT_MIGRATIONS);
  const jobs = new VerificationJobs(engine);

  limitFiles(4096);
  await assert.rejects(jobs.add(job(1)), { code: "store_full", message: /^the database cannot be written: / });
  limitFiles();
  await jobs.add(job(2));

  assert.deepEqual(
    (await jobs.waiting()).map(({ guid }) => guid),
    ["g2"],
  );
});
