import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../test/support/random.ts";
import { firstSeed } from "../../test/support/seed.ts";
import { QUEUE_LIMITS, WaitingJobs } from "./waitingJobs.ts";

const jobOf = (client: string, number: number) => ({
  guid: `${client}${number}`,
  client,
  digest: `d${client}${number}`,
});

function drain(jobs: WaitingJobs): string[] {
  const order: string[] = [];
  for (let job = jobs.next(); job !== undefined; job = jobs.next()) order.push(job.guid);
  return order;
}

test("clients have their turns one after another, each with its oldest job", () => {
  const jobs = new WaitingJobs();
  for (const number of [1, 2, 3]) jobs.add(jobOf("a", number));
  for (const client of ["b", "c"]) for (const number of [1, 2]) jobs.add(jobOf(client, number));

  assert.deepEqual(drain(jobs), ["a1", "b1", "c1", "a2", "b2", "c2", "a3"]);
});

test("a client and all of them together have a bound, which what runs is part of", () => {
  const jobs = new WaitingJobs();
  for (let number = 0; number < QUEUE_LIMITS.client; number++) jobs.add(jobOf("a", number));
  assert.equal(jobs.hasRoom("a"), false);
  assert.equal(jobs.hasRoom("b"), true);

  jobs.next();
  assert.equal(jobs.hasRoom("a"), false);
  jobs.next();
  assert.equal(jobs.hasRoom("a"), true);

  for (let number = QUEUE_LIMITS.client - 1; number < QUEUE_LIMITS.all; number++) jobs.add(jobOf(`other${number}`, 0));
  assert.equal(jobs.hasRoom("new"), false);
});

test("one that is the same is found while it waits and while it runs, and not after", () => {
  const jobs = new WaitingJobs();
  jobs.add(jobOf("a", 1));

  assert.equal(jobs.find("da1")?.guid, "a1");
  jobs.next();
  assert.equal(jobs.find("da1")?.guid, "a1");
  jobs.next();
  assert.equal(jobs.find("da1"), undefined);
});

test("clients take turns", () => {
  const seed = firstSeed();
  const random = new Random(seed);
  const jobs = new WaitingJobs();
  const waiting = new Map<string, number[]>();
  const passed = new Map<string, string[]>();
  for (let number = 0; number < 3000; number++) {
    const client = `client${random.int(8)}`;
    if (random.chance(0.5) && jobs.hasRoom(client)) {
      jobs.add(jobOf(client, number));
      waiting.set(client, [...(waiting.get(client) ?? []), number]);
      continue;
    }
    const job = jobs.next();
    assert.equal(job === undefined, waiting.size === 0, `seed ${seed}`);
    if (job === undefined) continue;
    const [oldest, ...others] = waiting.get(job.client)!;
    assert.equal(job.guid, `${job.client}${oldest}`, `seed ${seed}`);
    for (const [other, turns] of passed) {
      if (other === job.client) continue;
      assert.ok(!turns.includes(job.client), `seed ${seed}: ${job.client} had two turns while ${other} waited`);
      turns.push(job.client);
    }
    passed.delete(job.client);
    if (others.length === 0) waiting.delete(job.client);
    else waiting.set(job.client, others);
    for (const client of waiting.keys()) if (!passed.has(client)) passed.set(client, []);
  }
});
