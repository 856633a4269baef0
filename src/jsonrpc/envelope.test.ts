import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../test/support/random.ts";
import { firstSeed } from "../../test/support/seed.ts";
import { eventLoopTurns } from "../../test/support/waiting.ts";
import { SharedBytes } from "../std/bytes.ts";
import type { EnvelopeOptions } from "./envelope.ts";
import { answerBody, JsonBytes, JsonText, MAX_CALLS, respond } from "./envelope.ts";
import type { ResponseBody } from "./responseBody.ts";
import { ResponseParts, textOf } from "./responseBody.ts";
import { RpcError } from "./rpcError.ts";

const SEED = firstSeed();
const CASES = Number(process.env.ORIEL_CASES ?? 1000);

const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;

async function answer(method: string, params: unknown[]): Promise<unknown> {
  if (method === "echo") return params;
  if (method === "nothing") return undefined;
  if (method === "fill") return "x".repeat(Number(params[0]));
  if (method === "revert") throw new RpcError(3, "execution reverted", "0x08c379a0");
  if (method === "odd data") throw new RpcError(-32_000, "odd", cyclic);
  if (method === "amount") return 1n;
  if (method === "cycle") return cyclic;
  if (method === "fail") throw new TypeError("at /secret/place.ts:3");
  if (method === "throw") throw undefined;
  throw new RpcError(-32_601, `the method ${method} does not exist/is not available`);
}

const ask = (body: unknown, options?: EnvelopeOptions) =>
  answerBody(typeof body === "string" ? body : JSON.stringify(body), answer, options);

const read = async (body: unknown, options?: EnvelopeOptions) =>
  JSON.parse((await ask(body, options))!) as Record<string, unknown>;

const call = (id: unknown, method: string, params?: unknown) => ({ jsonrpc: "2.0", id, method, params });

const failed = (id: unknown, code: number, message: string) => ({ jsonrpc: "2.0", id, error: { code, message } });

test("a result of bytes is not converted to text, alone or in a batch", async () => {
  const bytes = new SharedBytes(Buffer.from('{"large":"0xab"}'));
  const whole = (method: string) => (method === "large" ? Promise.resolve(new JsonBytes(bytes)) : answer(method, []));
  const partsOf = (body: ResponseBody | undefined) => (body instanceof ResponseParts ? body.parts : []);
  const alone = await respond(JSON.stringify(call("a", "large")), whole);
  const batch = ["large", "echo", "large"].map((method, id) => call(id, method));
  const [first, short] = [await respond(JSON.stringify(batch), whole), { maxResultLength: 40 }];

  assert.deepEqual(partsOf(alone), ['{"jsonrpc":"2.0","id":"a","result":', bytes, "}"]);
  assert.equal(partsOf(first).filter((part) => part === bytes).length, 2);
  assert.deepEqual(
    JSON.parse(textOf(first!)),
    batch.map(({ id, method }) => ({ jsonrpc: "2.0", id, result: method === "echo" ? [] : { large: "0xab" } })),
  );
  const cut = JSON.parse(textOf((await respond(JSON.stringify(batch), whole, short))!)) as object[];
  assert.deepEqual(
    cut.map((one) => "error" in one),
    [false, true, true],
  );
});

test("a call gets its result, a refused one the error with its data", async () => {
  assert.equal(await ask(call(1, "echo", [1, "a"])), '{"jsonrpc":"2.0","id":1,"result":[1,"a"]}');
  assert.equal(await ask(call(2, "nothing")), '{"jsonrpc":"2.0","id":2,"result":null}');
  assert.deepEqual(await read(call(3, "revert")), {
    jsonrpc: "2.0",
    id: 3,
    error: { code: 3, message: "execution reverted", data: "0x08c379a0" },
  });
  assert.deepEqual(
    await read(call(4, "eth_nope")),
    failed(4, -32_601, "the method eth_nope does not exist/is not available"),
  );
});

test("ids are echoed as they were written, whatever they are", async () => {
  const ids = ['"a"', '""', "0", "-1", "1.5", "null", "true", "9007199254740993", "1e400", '"\\u2028"'];
  for (const id of ids) {
    assert.equal(await ask(`{"jsonrpc":"2.0","id":${id},"method":"nothing"}`), answered(id), id);
  }
  const batch = ids.map((id) => `{"jsonrpc":"2.0","id":${id},"method":"nothing"}`).join(",");
  assert.equal(await ask(`[${batch}]`), `[${ids.map(answered).join(",")}]`);
});

const answered = (id: string) => `{"jsonrpc":"2.0","id":${id.replace("\\u2028", "\u2028")},"result":null}`;

test("parameters keep their form next to an id of many digits", async () => {
  const body = '{"jsonrpc":"2.0","id":9007199254740993,"method":"echo","params":[{"id":2.5}]}';

  assert.equal(await ask(body), '{"jsonrpc":"2.0","id":9007199254740993,"result":[{"id":2.5}]}');
});

test("what is no JSON is a parse error, what is no request an invalid request", async () => {
  for (const body of ["", " ", "{", "[1,", "nonsense", "{'a':1}", "\ufeff{}"]) {
    assert.deepEqual(await read(body), failed(null, -32_700, "parse error"), body);
  }
  const invalid: [body: unknown, id: unknown][] = [
    [1, null],
    ['"text"', null],
    [null, null],
    [true, null],
    [{}, null],
    [{ id: 5 }, 5],
    [{ jsonrpc: "1.0", id: 5, method: "echo" }, 5],
    [{ id: "x", method: "echo" }, "x"],
    [{ jsonrpc: "2.0", id: 5, method: 7 }, 5],
    [{ jsonrpc: "2.0", id: 5, method: "" }, 5],
    [{ jsonrpc: "2.0", id: 5, result: 1 }, 5],
    [call({}, "echo"), null],
    [call([1], "echo"), null],
  ];
  for (const [body, id] of invalid) {
    assert.deepEqual(await read(body), failed(id, -32_600, "invalid request"), JSON.stringify(body));
  }
});

test("parameters are a list, or absent", async () => {
  for (const params of [undefined, null, []]) assert.deepEqual((await read(call(1, "echo", params))).result, []);
  for (const params of [{}, { a: 1 }, "a", 1, false]) {
    assert.deepEqual(await read(call(1, "echo", params)), failed(1, -32_602, "non-array args"));
  }
});

test("a notification is carried out and not answered", async () => {
  const asked: string[] = [];
  const note = async (method: string) => asked.push(method);
  const notice = (method: string) => ({ jsonrpc: "2.0", method });

  assert.equal(await answerBody(JSON.stringify(notice("a")), note), undefined);
  assert.equal(await answerBody(JSON.stringify([notice("b"), notice("c")]), note), undefined);
  assert.equal(
    await answerBody(JSON.stringify([notice("d"), call(1, "e"), notice("f")]), note),
    '[{"jsonrpc":"2.0","id":1,"result":5}]',
  );
  assert.deepEqual(asked, ["a", "b", "c", "d", "e", "f"]);
  assert.equal(await ask(notice("fail")), undefined);
});

test("a batch is answered in its order, one call after the other", async () => {
  let running = 0;
  const slowly = async (_: string, [wait]: unknown[]) => {
    assert.equal(++running, 1);
    await eventLoopTurns(Number(wait));
    running--;
    return wait;
  };
  const batch = [call("a", "x", [5]), call("b", "x", [0]), 7, call("a", "x", [1])];
  const answers = JSON.parse((await answerBody(JSON.stringify(batch), slowly))!) as Record<string, unknown>[];

  assert.deepEqual(
    answers.map(({ id, result }) => [id, result]),
    [
      ["a", 5],
      ["b", 0],
      [null, undefined],
      ["a", 1],
    ],
  );
});

test("an empty batch and one that is too large are refused", async () => {
  assert.deepEqual(await read("[]"), failed(null, -32_600, "empty batch"));
  const calls = (count: number) => Array.from({ length: count }, (_, index) => call(index + 7, "nothing"));
  assert.equal((await read(calls(MAX_CALLS))).length, MAX_CALLS);
  assert.deepEqual(await read(calls(MAX_CALLS + 1)), [failed(7, -32_600, "batch too large")]);
});

test("once the results of a batch are too large, the remaining calls get an error", async () => {
  const batch = [call(1, "fill", [60]), call(2, "fill", [60]), call(3, "fill", [60]), call(4, "echo"), { jsonrpc: 0 }];
  const answers = (await read(batch, { maxResultLength: 150 })) as unknown as { id: number; error?: object }[];

  assert.deepEqual(
    answers.map(({ id, error }) => [id, error]),
    [
      [1, undefined],
      [2, undefined],
      [3, { code: -32_003, message: "response too large" }],
      [4, { code: -32_003, message: "response too large" }],
    ],
  );
});

test("a defect is an internal error that says nothing, and is handed on", async () => {
  const seen: unknown[] = [];
  const onInternal = (error: unknown, method: string) => seen.push([method, (error as Error | undefined)?.constructor]);
  for (const method of ["fail", "throw", "amount", "cycle"]) {
    assert.deepEqual(await read(call(1, method), { onInternal }), failed(1, -32_603, "internal error"), method);
  }
  assert.deepEqual(seen, [
    ["fail", TypeError],
    ["throw", undefined],
    ["amount", TypeError],
    ["cycle", TypeError],
  ]);
  assert.deepEqual(await read(call(1, "odd data")), failed(1, -32_000, "odd"));
});

test("nesting without end is no harm", async () => {
  const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  const deep = nested(9000);
  const request = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"nothing","params":[${deep}]}`;

  assert.deepEqual(await read(nested(100_000)), failed(null, -32_700, "parse error"));
  assert.deepEqual(await read(deep), [failed(null, -32_600, "invalid request")]);
  assert.equal(await ask(request("1")), answered("1"));
  assert.equal(await ask(request("1.5")), answered("1.5"));
  assert.deepEqual(await read(request(deep)), failed(null, -32_600, "invalid request"));
  assert.ok((await ask(request("1").replace("nothing", "echo")))!.length > deep.length);
});

function anyBody(random: Random): string {
  const ids = ["1", '"a"', "null", "{}", "[]", "1e999", "123456789012345678901234567890", "true"];
  const methods = ['"echo"', '"nothing"', '"fail"', '"revert"', '"cycle"', '"?"', '""', "3", "null"];
  const values = ["[]", "{}", "[1]", '["0x"]', "null", '"x"', "[[[]]]", '[{"id":1.5}]', '{"__proto__":{"id":1}}'];
  const request = () => {
    const fields = [
      random.chance(0.9) ? '"jsonrpc":"2.0"' : '"jsonrpc":2',
      random.chance(0.8) ? `"id":${random.pick(ids)}` : undefined,
      random.chance(0.9) ? `"method":${random.pick(methods)}` : undefined,
      random.chance(0.7) ? `"params":${random.pick(values)}` : undefined,
    ];
    return `{${random.shuffle(fields.filter((field) => field !== undefined)).join(",")}}`;
  };
  const item = () => (random.chance(0.9) ? request() : random.pick(values));
  let body = random.chance(0.5) ? item() : `[${Array.from({ length: random.int(6) }, item).join(",")}]`;
  for (let cut = random.chance(0.4) ? random.between(1, 3) : 0; cut > 0; cut--) {
    const at = random.int(body.length + 1);
    const other = random.pick(["", '"', "{", "}", "[", "]", ",", "\0", "\ud800", "0", ":"]);
    body = body.slice(0, at) + other + body.slice(at + random.int(3));
  }
  return body;
}

test(`any text gets JSON for an answer, or none (${CASES} bodies, seed ${SEED})`, async () => {
  const random = new Random(SEED);
  for (let index = 0; index < CASES; index++) {
    const body = anyBody(random);
    const text = await ask(body);
    if (text === undefined) continue;
    const answers = [JSON.parse(text) as Record<string, unknown>].flat();
    assert.ok(answers.length > 0, body);
    for (const { jsonrpc, id, error, result, ...others } of answers) {
      assert.deepEqual([jsonrpc, others], ["2.0", {}], body);
      assert.ok(id === null || typeof id !== "object", body);
      assert.equal(error === undefined, result !== undefined, body);
    }
  }
});

test("calls of a batch may run at one time, and their answers keep the order", async () => {
  let [running, max] = [0, 0];
  const answer = async (_: string, [value]: unknown[]) => {
    max = Math.max(max, ++running);
    await eventLoopTurns(5 - Number(value));
    running--;
    return new JsonText(`{"raw": ${value}}`);
  };
  const batch = [0, 1, 2, 3, 4].map((value) => ({ jsonrpc: "2.0", id: value, method: "m", params: [value] }));

  const text = await answerBody(JSON.stringify(batch), answer, { concurrency: 3 });

  assert.equal(max, 3);
  assert.equal(text, `[${batch.map(({ id }) => `{"jsonrpc":"2.0","id":${id},"result":{"raw": ${id}}}`).join(",")}]`);
});
