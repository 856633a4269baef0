import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../../test/support/simulatedSource.ts";
import { simulatedBalance, simulatedCode } from "../../../test/support/simulatedState.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { CallOutcome, Source } from "../../chain/source.ts";
import { HeadWatch } from "./headWatch.ts";
import { NodeState } from "./nodeState.ts";
import { ReadThrough } from "./readThrough.ts";

const BEACON_SLOT = "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50";
const ACCOUNT = fromHex(`0x${"5".repeat(40)}`);

/** A simulated node that records requests and may refuse them. */
function stateOf(seed: number, refuse: (params: readonly unknown[]) => void = () => {}) {
  const chain = new SimulatedChain({ seed });
  chain.mine(5);
  const inner = simulatedSource(chain);
  const asked: unknown[] = [];
  const source: Source = {
    ...inner,
    request: async (method, params) => {
      asked.push([method, params.at(-1)]);
      refuse(params);
      return inner.request(method, params);
    },
  };
  return { chain, asked, state: new NodeState(new ReadThrough(source, new HeadWatch(source))) };
}

test("an account is asked for once for each block, by the hash of the block", async () => {
  const { chain, asked, state } = stateOf(1);
  const [older, newer] = [chain.at(4)!, chain.head];

  const [first, same] = await Promise.all([1, 2].map(() => state.account(ACCOUNT, newer.header)));
  await state.account(ACCOUNT, newer.header);
  const before = await state.account(ACCOUNT, older.header);

  assert.deepEqual(
    [first!.balance, before!.balance],
    [newer, older].map((at) => simulatedBalance(toHex(ACCOUNT), at)),
  );
  assert.deepEqual([toHex(first!.code), same], [simulatedCode(chain, toHex(ACCOUNT), newer), first]);
  const questions = [newer, older].flatMap(({ hash }) =>
    ["eth_getBalance", "eth_getCode"].map((method) => [method, { blockHash: hash }]),
  );
  assert.deepEqual(asked, questions);
});

test("node state is read again after a new head, and on a development chain after a second", async () => {
  let notify = () => {};
  let balance = 1;
  const answers = {
    request: async (method: string) => (method === "eth_getCode" ? "0x" : `0x${(balance++).toString(16)}`),
  };
  const ask = async (source: Source, meanwhile: () => unknown) => {
    const state = new NodeState(new ReadThrough(source, new HeadWatch(source)));
    const at = { number: 1, hash: new Uint8Array(32) };
    balance = 1;
    const first = await state.account(ACCOUNT, at);
    await meanwhile();
    const second = await state.account(ACCOUNT, at);
    return [first?.balance, second?.balance];
  };
  const chain = new SimulatedChain({ seed: 5 });
  const watched: Source = {
    ...simulatedSource(chain),
    ...answers,
    watch: (listener) => {
      const others = notify;
      notify = () => {
        others();
        listener();
      };
    },
  };

  assert.deepEqual(await ask(watched, () => notify()), [1n, 2n]);
  assert.deepEqual(await ask({ ...simulatedSource(chain), ...answers }, () => sleep(1100)), [1n, 1n]);
  const development = { ...simulatedSource(chain, { authoritative: true }), ...answers };
  assert.deepEqual(await ask(development, () => sleep(1100)), [1n, 2n]);
});

test("a request from before a new head is not used after it", async () => {
  let notify = () => {};
  const answers: PromiseWithResolvers<unknown>[] = [];
  const source: Source = {
    ...simulatedSource(new SimulatedChain({ seed: 6 })),
    requests: async (questions) => {
      answers.push(Promise.withResolvers());
      const balance = await answers.at(-1)!.promise;
      return questions.map(({ method }) => (method === "eth_getCode" ? "0x" : balance));
    },
    watch: (listener) => {
      const others = notify;
      notify = () => {
        others();
        listener();
      };
    },
  };
  const state = new NodeState(new ReadThrough(source, new HeadWatch(source)));
  const at = { number: 1, hash: new Uint8Array(32) };

  const before = state.account(ACCOUNT, at);
  notify();
  const after = state.account(ACCOUNT, at);
  answers[1]?.resolve("0x2");
  answers[0]!.resolve("0x1");

  assert.deepEqual([(await before)?.balance, (await after)?.balance], [1n, 2n]);
  assert.equal((await state.account(ACCOUNT, at))?.balance, 2n);
});

test("a node that refuses hashes is asked by number, if the number names that block before and after", async () => {
  const refuse = (params: readonly unknown[]) => {
    if (typeof params.at(-1) === "object") throw new ChainError("upstream_rejected", "invalid argument 1");
  };
  const { chain, asked, state } = stateOf(2, refuse);
  const lost = chain.head;

  const found = await state.account(ACCOUNT, lost.header);
  chain.fork(1, 3);
  asked.length = 0;
  const gone = await state.account(fromHex(`0x${"6".repeat(40)}`), lost.header);
  const next = await state.account(ACCOUNT, chain.head.header);

  assert.equal(found!.balance, simulatedBalance(toHex(ACCOUNT), lost));
  assert.equal(gone, undefined);
  assert.equal(next!.balance, simulatedBalance(toHex(ACCOUNT), chain.head));
  assert.deepEqual(
    asked.map((question) => (question as unknown[])[1]),
    ["0x7", "0x7"],
    "hashes are not tried again",
  );
});

test("missing values are read again, and malformed ones are omitted", async () => {
  let answer: unknown = "0xzz";
  const source: Source = {
    ...simulatedSource(new SimulatedChain({ seed: 3 })),
    request: async () => answer,
  };
  const state = new NodeState(new ReadThrough(source, new HeadWatch(source)));
  const at = { number: 1, hash: new Uint8Array(32) };

  for (answer of ["0xzz", null, {}, 7, `0x${"1".repeat(65)}`])
    assert.equal(await state.account(ACCOUNT, at), undefined);
  answer = "0x11";

  assert.deepEqual(await state.account(ACCOUNT, at), { balance: 17n, code: Uint8Array.of(17) });
});

test("code is let go of when there is much of it", async () => {
  const chain = new SimulatedChain({ seed: 4 });
  const asked: string[] = [];
  const large = `0x${"fe".repeat(1 << 20)}`;
  const source: Source = {
    ...simulatedSource(chain),
    request: async (method) => {
      asked.push(method);
      return method === "eth_getCode" ? large : "0x1";
    },
  };
  const state = new NodeState(new ReadThrough(source, new HeadWatch(source)));
  const addresses = Array.from({ length: 18 }, (_, index) => new Uint8Array(20).fill(index));
  for (const address of addresses) await state.account(address, chain.head.header);
  asked.length = 0;

  await state.account(addresses[17]!, chain.head.header);
  await state.account(addresses[0]!, chain.head.header);

  assert.deepEqual(asked, ["eth_getBalance", "eth_getCode"]);
});

test("a beacon or slot that the node does not answer does not affect other proxies", async () => {
  const [good, bad, plain, odd] = [1, 2, 3, 4].map((fill) => new Uint8Array(20).fill(fill));
  const beaconOf = new Map(
    [good, bad].map((proxy) => [toHex(proxy!), `0x${"00".repeat(12)}${toHex(proxy!).slice(2, 4)}${"be".repeat(19)}`]),
  );
  const implementation = new Uint8Array(32).fill(7, 12);
  let outcome: CallOutcome = new ChainError("upstream_unavailable", "busy");
  const called: string[][] = [];
  const source: Source = {
    ...simulatedSource(new SimulatedChain({ seed: 7 })),
    request: async (_, [address, slot]) => {
      if (address === toHex(odd!)) return "0xzz";
      return (slot === BEACON_SLOT && beaconOf.get(address as Hex)) || `0x${"00".repeat(32)}`;
    },
    call: async (calls) => {
      called.push(calls.map(({ to }) => toHex(to)));
      return calls.map(({ to }) => (to[0] === bad![0] ? outcome : implementation));
    },
  };
  const state = new NodeState(new ReadThrough(source, new HeadWatch(source)));
  const at = { number: 1, hash: new Uint8Array(32) };
  // A delegating contract.
  const codes = new Map([good, bad, plain, odd].map((address) => [toHex(address!), Uint8Array.of(0xf4)]));
  const type = "eip1967_beacon";
  const run = { type, implementations: [implementation.slice(12)] };

  const first = await state.proxies(codes, at);
  outcome = implementation;
  const second = await state.proxies(codes, at);

  assert.deepEqual(
    first,
    new Map<Hex, unknown>([
      [toHex(good!), run],
      [toHex(plain!), null],
    ]),
  );
  assert.deepEqual(
    second,
    new Map<Hex, unknown>([
      [toHex(good!), run],
      [toHex(bad!), run],
      [toHex(plain!), null],
    ]),
  );
  assert.deepEqual(
    called.map(({ length }) => length),
    [2, 1],
    "what was read is kept",
  );
});
