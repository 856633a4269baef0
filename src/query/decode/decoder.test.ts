import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { encodeAbiParameters, encodeEventTopics, encodeFunctionData, erc20Abi, parseAbi } from "viem";
import { contractNamed } from "../../../test/support/contracts.ts";
import { memoryAbis, type Published } from "../../../test/support/memoryAbis.ts";
import { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../../test/support/simulatedSource.ts";
import { until } from "../../../test/support/waiting.ts";
import { fullText } from "../../chain/abi/signature.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { RpcQuestion, Source } from "../../chain/source.ts";
import { HeadWatch } from "../node/headWatch.ts";
import { NodeState } from "../node/nodeState.ts";
import { ReadThrough } from "../node/readThrough.ts";
import type { Abis } from "./abis.ts";
import type { DecoderOptions, LoggedData } from "./decoder.ts";
import { Decoder, MAX_EMITTERS, MAX_LISTED_INPUT_LENGTH, MAX_LOGGED } from "./decoder.ts";

const AT = { number: 1, hash: new Uint8Array(32) };
const [A, B]: readonly Hex[] = [`0x${"0a".repeat(20)}`, `0x${"0b".repeat(20)}`];
const TOKEN = contractNamed("ERC20PresetMinterPauser") as unknown as Required<Published>;

/** A decoder on a node where every account has this code, and a record of the node's batches. */
function open(
  t: TestContext,
  published: readonly Published[],
  codeOf: (address: Hex) => Hex = () => "0x",
  options: DecoderOptions = {},
) {
  const batches: (readonly RpcQuestion[])[] = [];
  const source: Source = {
    ...simulatedSource(new SimulatedChain({ seed: 1 })),
    requests: async (questions) => {
      batches.push(questions);
      return questions.map(({ method, params }) =>
        method === "eth_getCode" ? codeOf(params[0] as Hex) : `0x${"00".repeat(32)}`,
      );
    },
  };
  const nodeState = new NodeState(new ReadThrough(source, new HeadWatch(source)));
  const decoder = new Decoder({ nodeState, abis: memoryAbis(published), ...options });
  t.after(() => decoder.close());
  return { decoder, batches };
}

function transferBy(emitter: Hex, value = 5n): LoggedData {
  const topics = encodeEventTopics({ abi: erc20Abi, eventName: "Transfer", args: { from: A!, to: B! } });
  const data = encodeAbiParameters([{ type: "uint256" }], [value]);
  return {
    address: fromHex(emitter),
    topics: fromHex(`0x${topics.map((topic) => topic!.slice(2)).join("")}`),
    data: fromHex(data),
  };
}

const emitterAt = (index: number): Hex => `0x${index.toString(16).padStart(40, "e")}`;
const transfer = fromHex(encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [A!, 5n] }));

/** Code with so many functions that its analysis does not end. */
function endless(functions: number): Hex {
  const loop = (5 + functions * 11).toString(16).padStart(4, "0");
  const branch = (_: unknown, i: number) => `8063${(0x10000000 + i * 7919).toString(16)}1461${loop}57`;
  return `0x5f3560e01c${Array.from({ length: functions }, branch).join("")}5b60043560243561${loop}56`;
}

test("the code of all emitters of a page is asked for in one go, of so many at most, and once for each block", async (t) => {
  const { decoder, batches } = open(t, [TOKEN], () => TOKEN.deployedBytecode);
  const logs = Array.from({ length: 3 * MAX_EMITTERS }, (_, i) => transferBy(emitterAt(i % (MAX_EMITTERS + 20))));

  const decoded = await decoder.logs(logs, AT);
  await decoder.logs(logs, AT);

  assert.equal(batches.length, 1, "the code cannot delegate, so no storage is read");
  assert.equal(new Set(batches[0]!.map(({ params }) => params[0])).size, MAX_EMITTERS);
  const origins = decoded.map((log) => log!.origin);
  assert.deepEqual([...new Set(origins.slice(0, MAX_EMITTERS))], ["abi"]);
  assert.deepEqual([...new Set(origins.slice(MAX_EMITTERS, MAX_EMITTERS + 20))], ["known"]);
});

test("where the node does not say what code there is, signatures that all share are used", async (t) => {
  const { decoder } = open(t, [TOKEN], () => {
    throw new ChainError("upstream_unavailable", "too busy");
  });

  const [log] = await decoder.logs([transferBy(A!)], AT);
  const call = await decoder.call(fromHex(A!), transfer, AT);
  const unknown = await decoder.call(fromHex(A!), Uint8Array.of(1, 2, 3, 4), AT);

  assert.deepEqual([log!.origin, call!.origin, unknown], ["known", "known", undefined]);
});

test("if ABIs cannot be read, shared signatures are used, and the error is reported once", async (t) => {
  const errors: string[] = [];
  const abis: Abis = {
    ...memoryAbis([TOKEN]),
    ofCode: () => Promise.reject(new ChainError("store_corrupt", "the file is damaged")),
  };
  const onError = (what: string, reason: string) => errors.push(`${what}: ${reason}`);
  const { decoder } = open(t, [], () => TOKEN.deployedBytecode, { abis, onError });

  const [log] = await decoder.logs([transferBy(A!)], AT);
  const call = await decoder.call(fromHex(A!), transfer, AT);
  const revert = await decoder.revert(fromHex(A!), Uint8Array.of(1, 2, 3, 4), AT);

  assert.deepEqual([log!.origin, call!.origin, revert], ["known", "known", { raw: Uint8Array.of(1, 2, 3, 4) }]);
  assert.deepEqual(errors, ["an imported ABI could not be read: the file is damaged"]);
});

test("a response knows whether all of its data was available", async (t) => {
  const unknown = Uint8Array.of(1, 2, 3, 4);
  const isMissed = async (decoder: Decoder) => {
    const by = decoder.deadline();
    await decoder.call(fromHex(A!), unknown, AT, by);
    return by.isMissed;
  };
  const code = "0x5f3560e01c806310203040146012575f5ffd5b6004355500";
  const silent = () => {
    throw new ChainError("upstream_unavailable", "too busy");
  };
  const damaged: Abis = {
    ...memoryAbis([TOKEN]),
    ofCode: () => Promise.reject(new ChainError("store_corrupt", "the file is damaged")),
  };

  assert.equal(await isMissed(open(t, [], () => code).decoder), false);
  assert.equal(await isMissed(open(t, [TOKEN], () => TOKEN.deployedBytecode).decoder), false);
  assert.equal(await isMissed(open(t, [], silent).decoder), true, "the node does not say");
  assert.equal(await isMissed(open(t, [], () => `${code}00`, { timeout: 0 }).decoder), true, "analysis takes long");
  assert.equal(await isMissed(open(t, [], () => code, { deadline: 0 }).decoder), true, "all takes long");
  assert.equal(await isMissed(open(t, [], () => code, { abis: damaged }).decoder), true, "ABIs cannot be read");
  assert.equal(await isMissed(open(t, [], () => endless(2000)).decoder), true, "analysis is given up");
});

test("a response knows that the code of an emitter's implementation was unavailable, also if that one emitted", async (t) => {
  const clone: Hex = `0x363d3d373d3d3d363d73${B!.slice(2)}5af43d82803e903d91602b57fd5bf3`;
  const long: Hex = `0x00${"00".repeat(200_000)}`;
  let isAsked = false;
  const { decoder } = open(t, [TOKEN], (address) => {
    if (isAsked) throw new ChainError("upstream_unavailable", "too busy");
    isAsked = address === emitterAt(98);
    return address === A ? clone : address === B ? TOKEN.deployedBytecode : long;
  });
  const emitters = [A!, B!, ...Array.from({ length: 98 }, (_, i) => emitterAt(i + 1))];
  const by = decoder.deadline();

  await decoder.logs(
    emitters.map((emitter) => transferBy(emitter)),
    AT,
    by,
  );

  assert.equal(by.isMissed, true);
});

test("without ABIs the node is asked only for the code of unknown calls", async (t) => {
  const { decoder, batches } = open(t, []);

  await decoder.call(fromHex(A!), transfer, AT);
  await decoder.logs([transferBy(A!), { ...transferBy(B!), topics: new Uint8Array(32) }], AT);
  await decoder.revert(fromHex(A!), Uint8Array.of(1, 2, 3, 4), AT);
  await decoder.listed([Uint8Array.of(1, 2, 3, 4)]);
  assert.deepEqual(batches, []);
  await decoder.call(fromHex(A!), Uint8Array.of(1, 2, 3, 4), AT);

  assert.deepEqual(
    batches.flat().map(({ method }) => method),
    ["eth_getCode"],
  );
});

test("requests do not wait for the analysis of bytecode, and the next one has its result", async (t) => {
  const answers = [A, B].map(
    (address) => `0x5f3560e01c806310203040146012575f5ffd5b60043560${address!.slice(2, 4)}5500` as Hex,
  );
  const codeOf = (address: Hex) => answers[address === A ? 0 : 1]!;
  const { decoder } = open(t, [], codeOf, { timeout: 0 });
  const input = Buffer.concat([Uint8Array.of(0x10, 0x20, 0x30, 0x40), new Uint8Array(32)]);

  assert.equal(await decoder.call(fromHex(A!), input, AT), undefined);
  assert.equal(await decoder.call(fromHex(B!), input, AT), undefined);
  let decoded: Awaited<ReturnType<typeof decoder.call>>;
  await until("it is analysed", async () => {
    decoded = await decoder.call(fromHex(B!), input, AT);
    return decoded !== undefined;
  });

  assert.equal(decoded && fullText(decoded.signature), "0x10203040(uint256)");
});

test("after close, calls known only from bytecode stay raw", async (t) => {
  const { decoder } = open(t, [], () => TOKEN.deployedBytecode);

  await decoder.close();

  assert.equal(await decoder.call(fromHex(A!), Uint8Array.of(1, 2, 3, 4), AT), undefined);
  assert.equal((await decoder.call(fromHex(A!), transfer, AT))?.origin, "known");
});

test("an anonymous event decodes the logs of its own contract alone", async (t) => {
  const anonymous = [{ type: "event", name: "Note", anonymous: true, inputs: [{ type: "uint256", name: "what" }] }];
  const { decoder } = open(t, [{ abi: anonymous, deployedBytecode: "0x01" }], (address) =>
    address === A ? "0x01" : "0x02",
  );
  const logBy = (address: Hex) => ({ address: fromHex(address), topics: new Uint8Array(), data: new Uint8Array(32) });

  const [own, foreign] = await decoder.logs([logBy(A!), logBy(B!)], AT);

  assert.deepEqual([own && fullText(own.signature), foreign], ["Note(uint256 what)", undefined]);
});

test("a long input in a list is named by its selector where that has one name", async (t) => {
  const collision = parseAbi(["function many_msg_babbage(bytes1)"]);
  const long = Buffer.concat([transfer, new Uint8Array(MAX_LISTED_INPUT_LENGTH)]);
  const [sure, unsure] = [open(t, []).decoder, open(t, [{ abi: collision }]).decoder];

  for (const [decoder, name] of [
    [sure, "transfer"],
    [unsure, undefined],
  ] as const) {
    assert.deepEqual(await decoder.listed([long]), [{ name, decoded: undefined }]);
    assert.deepEqual(await decoder.listedNames([long]), [name]);
    const [short] = await decoder.listed([transfer]);
    assert.deepEqual([short!.name, ...(await decoder.listedNames([transfer]))], ["transfer", "transfer"]);
  }
  const trailing = Buffer.concat([transfer, new Uint8Array(1)]);
  const [followed] = await sure.listed([trailing]);
  assert.deepEqual([followed!.name, followed!.decoded?.trailing], ["transfer", Buffer.of(0)]);
});

/** Counts turns of the event loop before the result. */
async function countingTurns<T>(answer: Promise<T>): Promise<[T, turns: number]> {
  let turns = 0;
  let isDone = false;
  const others = (async () => {
    for (; !isDone; turns++) await turn();
  })();
  const found = await answer;
  isDone = true;
  await others;
  return [found, turns];
}

test("the names of a page of calls are found in turns", async (t) => {
  const { decoder } = open(t, []);
  const inputs = Array.from({ length: 1000 }, () => transfer);

  const [names, turns] = await countingTurns(decoder.listedNames(inputs));

  assert.deepEqual(
    names,
    inputs.map(() => "transfer"),
  );
  assert.ok(turns >= Math.floor((inputs.length * transfer.length) / (16 << 10)), `${turns} turns`);
});

test("a bounded part of a page of large logs is decoded, and decoding yields to the event loop", async (t) => {
  const { decoder } = open(t, []);
  const accounts = Array.from({ length: 1000 }, (_, i) => emitterAt(i));
  const batch = parseAbi([
    "event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)",
  ]);
  const topics = encodeEventTopics({
    abi: batch,
    eventName: "TransferBatch",
    args: { operator: A!, from: A!, to: B! },
  });
  const ids = accounts.map((account) => BigInt(account));
  const data = fromHex(encodeAbiParameters([{ type: "uint256[]" }, { type: "uint256[]" }], [ids, []]));
  const log: LoggedData = {
    address: fromHex(A!),
    topics: fromHex(`0x${topics.map((one) => one!.slice(2)).join("")}`),
    data,
  };
  const logs = Array.from({ length: 50 }, () => log);

  const [decoded, turns] = await countingTurns(decoder.logs(logs, AT));

  const size = log.topics.length + data.length;
  assert.equal(decoded.filter((one) => one !== undefined).length, Math.floor(MAX_LOGGED / size));
  assert.ok(turns >= Math.floor(MAX_LOGGED / size), `${turns} turns`);
  assert.equal(toHex(log.topics.subarray(0, 32)), decoded[0]!.id);
});
