import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { CURVE, LINE, ONE, sidecarOf, ZERO } from "../../../test/support/blobs.ts";
import { RpcError } from "../../jsonrpc/rpcError.ts";
import { KzgClient } from "./kzgClient.ts";
import { KzgThread } from "./kzgThread.ts";
import { verifySidecar } from "./verifySidecar.ts";

const VALID = sidecarOf([LINE]);
const INVALID = sidecarOf([{ ...LINE, proof: ZERO.proof }]);

async function watched<T>(work: (threads: Worker[]) => Promise<T>): Promise<T> {
  const threads: Worker[] = [];
  const note = (worker: Worker) => threads.push(worker);
  process.on("worker", note);
  try {
    return await work(threads);
  } finally {
    process.off("worker", note);
  }
}

test("the thread says of each sidecar whether its proofs hold", async () => {
  const kzg = new KzgThread();

  const answers = await Promise.all([VALID, INVALID, sidecarOf([CURVE], 1)].map((sidecar) => kzg.verify(sidecar)));

  assert.deepEqual(answers, [true, false, true]);
  await kzg.close();
});

test("the thread proves a blob, and refuses what is none", async () => {
  const kzg = new KzgThread();
  const client = new KzgClient(kzg.connect());

  const { commitment, proof } = await client.prove(ONE.blob);

  assert.deepEqual(
    [Buffer.from(commitment), Buffer.from(proof)],
    [Buffer.from(ONE.commitment), Buffer.from(ONE.proof)],
  );
  await assert.rejects(client.prove(new Uint8Array(131_072).fill(0xff)), /the KZG thread failed/);
  client.close();
  await kzg.close();
});

test("the thread ends when idle, and another answers the next task", async () => {
  await watched(async (threads) => {
    const kzg = new KzgThread(assert.fail, 1);
    const [one, other] = [new KzgClient(kzg.connect()), new KzgClient(kzg.connect())];

    assert.deepEqual(await Promise.all([one.verify(VALID), other.verify(INVALID)]), [true, false]);
    await once(threads[0]!, "exit");
    assert.deepEqual(await Promise.all([one.verify(VALID), other.verify(INVALID)]), [true, false]);
    assert.ok(threads.length >= 2);

    one.close();
    other.close();
    await kzg.close();
  });
});

test("no task is lost while threads end for lack of tasks", async () => {
  const kzg = new KzgThread(assert.fail, 1);
  const clients = [1, 2, 3].map(() => new KzgClient(kzg.connect()));
  for (let round = 0; round < 4; round++) {
    for (let turns = 0; turns < round; turns++) await turn();
    assert.deepEqual(await Promise.all(clients.map((client) => client.verify(VALID))), [true, true, true]);
  }
  for (const client of clients) client.close();
  await kzg.close();
});

test("the questions of one asker are answered in their order", async () => {
  const kzg = new KzgThread();
  const order: number[] = [];

  await Promise.all(
    [sidecarOf([LINE, LINE, ONE]), VALID, INVALID].map((sidecar, i) => kzg.verify(sidecar).then(() => order.push(i))),
  );

  assert.deepEqual(order, [0, 1, 2]);
  await kzg.close();
});

test("no thread is started before the first question, and one serves all", async () => {
  await watched(async (threads) => {
    const kzg = new KzgThread();
    const clients = [new KzgClient(kzg.connect()), new KzgClient(kzg.connect()), kzg];
    const before = threads.length;

    const answers = await Promise.all(clients.map((client) => client.verify(VALID)));

    assert.equal(before, 0);
    assert.deepEqual(answers, [true, true, true]);
    assert.equal(threads.length, 1);
    await kzg.close();
  });
});

test("a client in another thread asks over the link it was given", async () => {
  const kzg = new KzgThread();
  const link = kzg.connect();
  const source = `
    const { workerData, parentPort } = require("node:worker_threads");
    import(${JSON.stringify(new URL("./kzgClient.ts", import.meta.url).href)}).then(async ({ KzgClient }) => {
      parentPort.postMessage(await new KzgClient(workerData.link).verify(workerData.sidecar));
    });`;

  const asker = new Worker(source, { eval: true, workerData: { link, sidecar: VALID }, transferList: [link] });
  const exited = once(asker, "exit");
  const [answer] = await once(asker, "message");
  await exited;

  assert.equal(answer, true);
  await kzg.close();
});

test("what was asked of a thread that died is rejected, and the next question starts it again", async () => {
  await watched(async (threads) => {
    const crashes: string[] = [];
    const kzg = new KzgThread((reason) => crashes.push(reason));
    const client = new KzgClient(kzg.connect());
    await Promise.all([kzg.verify(VALID), client.verify(VALID)]);

    const asked = [kzg.verify(VALID), client.verify(VALID), kzg.verify(INVALID)];
    await threads[0]!.terminate();
    const outcomes = await Promise.allSettled(asked);
    const again = await Promise.all([kzg.verify(VALID), client.verify(INVALID)]);

    for (const outcome of outcomes) {
      assert.equal(outcome.status, "rejected");
      assert.match(outcome.reason.message, /^the KZG thread ended before it answered: it ended$/);
    }
    assert.deepEqual(again, [true, false]);
    assert.deepEqual(crashes, ["it ended"]);
    assert.equal(threads.length, 2);
    await kzg.close();
  });
});

test("a thread that dies while it starts rejects what was asked of it", async () => {
  await watched(async (threads) => {
    const kzg = new KzgThread();
    const asked = kzg.verify(VALID);
    asked.catch(() => {});
    while (threads.length === 0) await new Promise(setImmediate);

    await threads[0]!.terminate();

    await assert.rejects(asked, /the KZG thread ended before it answered/);
    assert.equal(await kzg.verify(VALID), true);
    await kzg.close();
  });
});

test("closing rejects what was not answered and what is asked afterwards", async () => {
  const kzg = new KzgThread();
  const client = new KzgClient(kzg.connect());
  await client.verify(VALID);

  const asked = [kzg.verify(VALID), client.verify(VALID)];
  const outcomes = Promise.allSettled(asked);
  await kzg.close();

  assert.deepEqual(
    (await outcomes).map((outcome) => outcome.status === "rejected" && outcome.reason.message),
    ["the KZG thread is closed", "the KZG thread is closed"],
  );
  await assert.rejects(kzg.verify(VALID), /the KZG thread is closed/);
  await assert.rejects(client.verify(VALID), /the KZG thread is closed/);
  assert.throws(() => kzg.connect(), /the KZG thread is closed/);
});

test("closing one client keeps the thread for the others", async () => {
  const kzg = new KzgThread();
  const client = new KzgClient(kzg.connect());
  await client.verify(VALID);

  client.close();

  assert.equal(await kzg.verify(VALID), true);
  await assert.rejects(client.verify(VALID), /the KZG thread is closed/);
  await kzg.close();
});

test("a thread that is not closed does not keep the process, and a question does", async () => {
  const source = `
    import { KzgThread } from ${JSON.stringify(new URL("./kzgThread.ts", import.meta.url).href)};
    import { workerData } from "node:worker_threads";
    console.log(await new KzgThread().verify(workerData));`;

  const asker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`), {
    workerData: VALID,
    stdout: true,
  });
  let output = "";
  asker.stdout.on("data", (text) => {
    output += text;
  });
  const [code] = await once(asker, "exit");

  assert.equal(output, "true\n");
  assert.equal(code, 0);
});

test("proofs that do not hold are refused in the words of geth", async () => {
  const verifier = { verify: () => Promise.resolve(false) };

  for (const [version, message] of [
    [0, "KZG verification error: invalid blob proof: can't verify opening proof"],
    [1, "KZG verification error: can't verify opening proof"],
  ] as const) {
    await assert.rejects(verifySidecar(verifier, sidecarOf([ONE], version)), (error) => {
      assert.ok(error instanceof RpcError);
      assert.equal(error.code, -32_000);
      assert.equal(error.message, message);
      return true;
    });
  }
});

test("proofs that hold pass", async () => {
  await verifySidecar({ verify: () => Promise.resolve(true) }, VALID);
});
