import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { temporaryDirectory } from "../../test/support/program.ts";
import { CORPUS, inputOf } from "../../test/support/verification/corpus.ts";
import { compileWith, INSTALLED, versionOf } from "../../test/support/verification/releases.ts";
import { until } from "../../test/support/waiting.ts";
import { fromHex } from "../chain/encoding/hex.ts";
import { ContractStore } from "../store/contracts/contractStore.ts";
import { Compilers } from "./compilers.ts";
import type { Submission } from "./submission.ts";
import type { VerifierOptions } from "./verifier.ts";
import { Verifier } from "./verifier.ts";
import { QUEUE_LIMITS } from "./waitingJobs.ts";

const CONTRACT = CORPUS.find(({ name }) => name === "Store")!;
const { release, path, name } = CONTRACT;
const CODE = fromHex(`0x${compileWith(release, inputOf(CONTRACT))[path]![name]!.evm.deployedBytecode.object}`);
const ADDRESS = fromHex(`0x${"ab".repeat(20)}`);

const submission = (comment = "", address = ADDRESS): Submission => ({
  address,
  compiler: versionOf(release),
  source: {
    format: "standard-json",
    text: JSON.stringify(inputOf(CONTRACT)).replace("pragma", `/*${comment}*/ pragma`),
  },
  contract: `${path}:${name}`,
  license: "None",
});

async function open(t: TestContext, directory: string, options: Partial<VerifierOptions> = {}) {
  const contracts = await ContractStore.open(directory);
  const compilers = new Compilers({ cache: join(directory, "none"), directories: [INSTALLED], fetches: false });
  const readDeployed = async () => ({ code: CODE, creation: undefined, isIndexed: true });
  const verifier = new Verifier({ chainId: 677, contracts, compilers, readDeployed, ...options });
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    await verifier.close();
    await contracts.close();
  };
  t.after(close);
  verifier.start();
  return { verifier, contracts, close };
}

const guidOf = async (submitted: ReturnType<Verifier["submit"]>) => {
  const result = await submitted;
  assert.ok("guid" in result, JSON.stringify(result));
  return result.guid;
};

async function settled(verifier: Verifier, guid: string) {
  await until(`${guid} is done`, async () => (await verifier.result(guid))?.state !== "pending", 120);
  return (await verifier.result(guid))!;
}

test("equal submissions share an id while one waits, and the queue is bounded for each client", async (t) => {
  const { verifier } = await open(t, temporaryDirectory(t));
  const submit = (client: string, comment: string) => verifier.submit(submission(comment), client);

  const [one, other] = await Promise.all([submit("1.2.3.4", "a"), submit("5.6.7.8", "a")]);
  assert.deepEqual(one, other);

  const many = await Promise.all(
    Array.from({ length: QUEUE_LIMITS.client + 2 }, (_, at) => submit("2001:db8:0:0::/64", `${at}`)),
  );
  const taken = many.filter((result) => "guid" in result);
  assert.equal(taken.length, QUEUE_LIMITS.client);
  assert.deepEqual(many.at(-1), { refused: "busy" });
  assert.ok("guid" in (await submit("9.9.9.9", "b")));
});

test("what waits is compiled after a restart, under its id", async (t) => {
  const directory = temporaryDirectory(t);
  const first = await open(t, directory);
  const guids = [
    await guidOf(first.verifier.submit(submission("first"), "1.2.3.4")),
    await guidOf(first.verifier.submit(submission("second"), "1.2.3.4")),
  ];
  await first.close();

  const { verifier, contracts } = await open(t, directory);

  const again = await guidOf(verifier.submit(submission("second"), "1.2.3.4"));
  assert.equal(again, guids[1]);
  for (const guid of guids) {
    const { state, reason } = (await settled(verifier, guid)) ?? {};
    assert.deepEqual([state, reason], ["verified", ""]);
  }
  assert.equal((await contracts.sourceOf(ADDRESS, CODE))?.match, "partial");
  assert.equal(await contracts.jobs.countWaiting(), 0);
});

test("two processes over one database do each job once, and either tells the result", async (t) => {
  const directory = temporaryDirectory(t);
  const [one, other] = [await open(t, directory), await open(t, directory)];
  const finished: string[] = [];
  for (const { contracts } of [one, other]) {
    const { jobs } = contracts;
    const finish = jobs.finish.bind(jobs);
    jobs.finish = (guid, result) => {
      finished.push(guid);
      return finish(guid, result);
    };
  }
  const [first, second] = [
    await guidOf(one.verifier.submit(submission("first"), "1.2.3.4")),
    await guidOf(other.verifier.submit(submission("second"), "1.2.3.4")),
  ];
  const results = await Promise.all([other.verifier.result(first, 60_000), one.verifier.result(second, 60_000)]);

  assert.deepEqual(
    results.map((result) => result?.state),
    ["verified", "verified"],
  );
  assert.deepEqual(finished.sort(), [first, second].sort());
});

test("a job that another process has is left to it until its claim ends", async (t) => {
  const directory = temporaryDirectory(t);
  const { contracts, close } = await open(t, directory);
  const { jobs } = contracts;
  await jobs.add({ guid: "g", address: ADDRESS, client: "a", submitted: 1, request: "{}" });
  assert.equal(await jobs.claim("g", 1000, 2000), true);
  assert.equal(await jobs.claim("g", 1999, 3000), false);
  assert.equal(await jobs.claim("g", 2000, 3000), true);
  await jobs.extend("g", 0);
  assert.equal(await jobs.claim("g", 1, 2), true);
  await jobs.finish("g", { state: "failed", reason: "" });
  assert.equal(await jobs.claim("g", 5000, 6000), false);
  await close();
});

test("the reason of a failure is kept, and a perfect match is final", async (t) => {
  const directory = temporaryDirectory(t);
  const { verifier, close } = await open(t, directory);
  const missing = { ...submission(), compiler: "v0.8.9" };
  const broken = { ...submission(), contract: "Other" };
  const failures = [
    [await guidOf(verifier.submit(missing, "a")), /^solc 0\.8\.9 is not available: it is not among the compilers/],
    [await guidOf(verifier.submit(broken, "a")), /^the source has no contract Other$/],
  ] as const;
  for (const [guid, reason] of failures) {
    const result = await settled(verifier, guid);
    assert.equal(result.state, "failed");
    assert.match(result.reason, reason);
  }
  const text = JSON.stringify(inputOf(CONTRACT));
  const exact = { ...submission(), source: { format: "standard-json", text } } as const;
  await settled(verifier, await guidOf(verifier.submit(exact, "a")));
  assert.deepEqual(await verifier.submit(submission("other"), "a"), { refused: "already_verified" });
  await close();

  const { contracts } = await open(t, directory);

  assert.match((await contracts.jobs.result(failures[0][0]))!.reason, failures[0][1]);
  assert.equal((await contracts.jobs.lastResult(ADDRESS))?.state, "verified");
});

test("a contract that the node does not show yet is taken as soon as it does", async (t) => {
  let looks = 0;
  const { verifier } = await open(t, temporaryDirectory(t), {
    readDeployed: async () => (++looks > 3 ? { code: CODE, creation: undefined, isIndexed: true } : undefined),
  });

  const result = await settled(verifier, await guidOf(verifier.submit(submission(), "a")));

  assert.equal(result.state, "verified");
  assert.ok(looks > 3);
});

test("what cannot be verified is not taken", async (t) => {
  const none = { readDeployed: async () => undefined, timeout: 300 };
  const { verifier } = await open(t, temporaryDirectory(t), none);

  assert.deepEqual(await verifier.submit(submission(), "a"), { refused: "no_code" });
  await assert.rejects(verifier.submit({ ...submission(), compiler: "../../etc" }, "a"), /no released solc/);
  assert.equal(await verifier.result("none"), undefined);
});

test("a contract that the index does not have is waited for, and verified without it after that", async (t) => {
  let looks = 0;
  const creation = { input: undefined, transaction: `0x${"11".repeat(32)}`, sender: `0x${"22".repeat(20)}` };
  const late = await open(t, temporaryDirectory(t), {
    readDeployed: async () => {
      const isIndexed = ++looks > 3;
      return { code: CODE, creation: isIndexed ? creation : undefined, isIndexed };
    },
  });
  const never = await open(t, temporaryDirectory(t), {
    readDeployed: async () => ({ code: CODE, creation: undefined, isIndexed: false }),
    timeout: 300,
  });

  const guids = [
    await guidOf(late.verifier.submit(submission(), "a")),
    await guidOf(never.verifier.submit(submission(), "a")),
  ];

  assert.equal((await settled(late.verifier, guids[0]!)).state, "verified");
  assert.equal((await settled(never.verifier, guids[1]!)).state, "verified");
  assert.equal(looks, 4);
});
