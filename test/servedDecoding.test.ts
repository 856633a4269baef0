import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { TestContext } from "node:test";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Abi, AbiEvent } from "viem";
import { decodeEventLog, decodeFunctionData, encodeDeployData, encodeFunctionData, getAbiItem } from "viem";
import type { Hex } from "../src/chain/encoding/hex.ts";
import { ChainError } from "../src/chain/error.ts";
import type { HandleBody } from "../src/jsonrpc/port.ts";
import type { Abis } from "../src/query/decode/abis.ts";
import { MAX_DECODED_LENGTH, MAX_LISTED_INPUT_LENGTH } from "../src/query/decode/decoder.ts";
import type { Json } from "./support/api.ts";
import { contractNamed } from "./support/contracts.ts";
import type { FollowedOptions } from "./support/followedChain.ts";
import { FollowedChain } from "./support/followedChain.ts";
import { plain, readSections } from "./support/markdown.ts";
import type { Published } from "./support/memoryAbis.ts";
import { memoryAbis } from "./support/memoryAbis.ts";
import { compile } from "./support/solidity.ts";
import type { Shown } from "./support/viemDecoding.ts";
import { spelled } from "./support/viemDecoding.ts";
import { until } from "./support/waiting.ts";

interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
  readonly deployedBytecode: Hex;
}

interface Receipt {
  readonly contractAddress: Hex;
  readonly logs: readonly { readonly topics: [Hex, ...Hex[]]; readonly data: Hex }[];
}

const zeppelin = (name: string) => contractNamed(name) as unknown as Artifact;
const TOKEN = zeppelin("ERC20PresetMinterPauser");
const GOODS = zeppelin("ERC1155PresetMinterPauser");
const PROXY = zeppelin("ERC1967Proxy");

function uniswap(name: string): Artifact {
  const path = createRequire(import.meta.url).resolve(`@uniswap/v2-core/build/${name}.json`);
  const { abi, evm } = JSON.parse(readFileSync(path, "utf8"));
  return { abi, bytecode: `0x${evm.bytecode.object}`, deployedBytecode: `0x${evm.deployedBytecode.object}` };
}

const FACTORY = uniswap("UniswapV2Factory");

const { Reverting: REVERTING } = compile(`
pragma solidity ^0.8.0;
contract Reverting {
  error Short(address who, uint256 missing);
  event Odd(address indexed who, string text, uint128[] amounts);
  function text() external pure { revert("not yours"); }
  function divide(uint256 by) external pure returns (uint256) { return 1 / by; }
  function custom() external view { revert Short(msg.sender, 3); }
  function silent() external pure { revert(); }
  function forever() external { while (true) { assembly { sstore(gas(), 1) } } }
  function oddly(address who, bool yes) external { if (yes) emit Odd(who, "odd", new uint128[](2)); }
}`) as { Reverting: Artifact };

/** A followed chain with contracts, and its API. */
async function open(t: TestContext, options: FollowedOptions = {}) {
  const followed = await FollowedChain.open(t, options);
  const { chain } = followed;
  followed.start();
  const send = async (to: Hex | undefined, data: Hex, gas = 6_000_000n) => {
    const hash = await chain.send({ to, data, gas });
    return { hash, ...(await chain.ask<Receipt>("eth_getTransactionReceipt", hash)) };
  };
  const deploy = async ({ abi, bytecode }: Artifact, ...args: unknown[]) =>
    (await send(undefined, encodeDeployData({ abi, bytecode, args } as never))).contractAddress;
  const get = async (path: string) => {
    await followed.settle();
    const { status, body } = await followed.get(`/api/v2/${path}`);
    assert.equal(status, 200, path);
    return body;
  };
  return { chain, followed, send, deploy, get };
}

const callOf = ({ abi }: Artifact, functionName: string, ...args: unknown[]) =>
  encodeFunctionData({ abi, functionName, args } as never);

/** Compares name and values with viem's decoding by the contract's ABI. */
function expectSame(shown: unknown, name: string, args: readonly unknown[], label: string): Shown {
  const { method_call, parameters } = shown as Shown;
  assert.ok(method_call.startsWith(`${name}(`), `${label}: ${method_call}`);
  assert.deepEqual(
    parameters.map(({ value }) => value),
    args.map(spelled),
    label,
  );
  return shown as Shown;
}

test("a damaged store of ABIs breaks no answer", async (t) => {
  const abis: Abis = {
    ...memoryAbis([TOKEN]),
    ofCode: () => Promise.reject(new ChainError("store_corrupt", "the file is damaged")),
  };
  const { chain, send, deploy, get } = await open(t, { abis });
  const token = await deploy(TOKEN, "Coin", "COIN");
  const { hash } = await send(token, callOf(TOKEN, "mint", chain.other.address, 5n));
  const failed = await send(token, callOf(TOKEN, "transfer", chain.other.address, 10n ** 30n));

  const body = await get(`transactions/${hash}`);
  const { items } = (await get(`transactions/${hash}/logs`)) as { items: Json[] };

  assert.equal((body.decoded_input as Shown).origin, "known");
  assert.equal((items[0]!.decoded as Shown).origin, "known");
  assert.equal((await get(`transactions/${failed.hash}`)).status, "error");
  assert.equal(((await get(`addresses/${token}/logs`)).items as Json[]).length > 0, true);
});

test("a hanging node delays an indexed response once, not for each value", async (t) => {
  let isSlow = false;
  const around =
    (handle: HandleBody): HandleBody =>
    async (body, isTrusted) => {
      if (isSlow && /eth_getCode|eth_getStorageAt/.test(body)) await new Promise(() => {});
      if (isSlow && body.includes("debug_traceTransaction")) await sleep(300);
      return handle(body, isTrusted);
    };
  const { chain, send, deploy, get } = await open(t, { abis: memoryAbis([TOKEN, REVERTING]), around, timeout: 500 });
  const [token, reverting] = [await deploy(TOKEN, "Coin", "COIN"), await deploy(REVERTING)];
  const minted = await send(token, callOf(TOKEN, "mint", chain.other.address, 5n));
  const failed = await send(reverting, callOf(REVERTING, "custom"));
  const unknown = await send(reverting, "0x01020304");
  await get(`transactions/${minted.hash}`);
  isSlow = true;
  const timed = async (path: string) => {
    // A recent answer would be served from the cache.
    await chain.ask("hardhat_mine");
    const begin = performance.now();
    const body = await get(path);
    const took = performance.now() - begin;
    assert.ok(took < 10_000, `${path}: ${took} ms`);
    return body;
  };

  const call = await timed(`transactions/${minted.hash}`);
  const logs = await timed(`transactions/${minted.hash}/logs`);
  const failure = await timed(`transactions/${failed.hash}`);
  const raw = await timed(`transactions/${unknown.hash}`);

  assert.equal((call.decoded_input as Shown).origin, "known");
  assert.equal(((logs.items as Json[])[0]!.decoded as Shown).origin, "known");
  assert.equal((failure.decoded_input as Shown).origin, "known");
  assert.match((failure.revert_reason as Shown).method_call, /^Short\(/);
  assert.deepEqual([raw.decoded_input, raw.status], [null, "error"]);
  isSlow = false;
  await chain.ask("hardhat_mine");
  assert.equal(((await get(`transactions/${minted.hash}`)).decoded_input as Shown).origin, "abi");
});

describe("calls and logs of published contracts", () => {
  for (const [title, abis] of [
    ["by well-known signatures", []],
    ["by their ABIs", [TOKEN, GOODS, FACTORY]],
  ] as const) {
    test(`are shown as viem decodes them, ${title}`, async (t) => {
      const asked: string[] = [];
      const around =
        (handle: HandleBody): HandleBody =>
        (body, isTrusted) => {
          asked.push(...[...body.matchAll(/"method":"(\w+)"/g)].map(([, method]) => method!));
          return handle(body, isTrusted);
        };
      const { chain, send, deploy, get } = await open(t, { abis: memoryAbis(abis), around });
      const [token, goods] = [await deploy(TOKEN, "Coin", "COIN"), await deploy(GOODS, "ipfs://")];
      const factory = await deploy(FACTORY, chain.account.address);
      const [me, other] = [chain.account.address, chain.other.address];
      const calls: [Artifact, Hex, string, unknown[]][] = [
        [TOKEN, token, "mint", [me, 10n ** 24n]],
        [TOKEN, token, "transfer", [other, 12_345n]],
        [TOKEN, token, "approve", [other, 2n ** 256n - 1n]],
        [TOKEN, token, "burn", [7n]],
        [GOODS, goods, "mintBatch", [me, [1n, 2n], [10n, 20n], "0xc0ffee"]],
        [GOODS, goods, "safeTransferFrom", [me, other, 1n, 4n, "0x"]],
        [GOODS, goods, "setApprovalForAll", [other, true]],
        [FACTORY, factory, "createPair", [token, goods]],
      ];
      const sent: { hash: Hex; logs: Receipt["logs"]; artifact: Artifact; to: Hex }[] = [];
      for (const [artifact, to, name, args] of calls) {
        sent.push({ ...(await send(to, callOf(artifact, name, ...args))), artifact, to });
      }
      await get(`transactions/${sent[0]!.hash}`);
      const countCodes = () => asked.filter((method) => method === "eth_getCode").length;
      // The indexer asks for code as well, of the pair's factory and tokens.
      await until("the indexer has the code of the factory and the tokens", async () => {
        const before = countCodes();
        await sleep(1000);
        return before >= 1 && countCodes() === before;
      });
      asked.length = 0;

      for (const { hash, logs, artifact, to } of sent) {
        const body = await get(`transactions/${hash}`);
        const { functionName, args = [] } = decodeFunctionData({ abi: artifact.abi, data: body.raw_input as Hex });
        const shown = expectSame(body.decoded_input, functionName, args, functionName);
        assert.deepEqual(
          [body.method, body.result, shown.origin, shown.is_guess],
          [functionName, "success", abis.length === 0 ? "known" : "abi", false],
        );
        const { items } = (await get(`transactions/${hash}/logs`)) as { items: Json[] };
        const ofAddress = ((await get(`addresses/${to}/logs`)) as { items: Json[] }).items;
        for (const [i, log] of logs.entries()) {
          const event = decodeEventLog({ abi: artifact.abi, ...log });
          const { inputs } = getAbiItem({ abi: artifact.abi, name: event.eventName! }) as AbiEvent;
          const args = event.args as unknown as Json;
          const values = Array.isArray(args) ? args : inputs.map(({ name }) => args[name!]);
          const shown = expectSame(items[i]!.decoded, event.eventName!, values, event.eventName!);
          assert.equal(shown.method_id, log.topics[0].slice(2, 10));
          assert.deepEqual(
            ofAddress.find(({ tx_hash, index }) => tx_hash === hash && index === items[i]!.index)?.decoded,
            shown,
          );
        }
        for (const transfer of body.token_transfers as Json[]) assert.equal(transfer.method, functionName);
      }
      const codes = countCodes();
      assert.ok(abis.length === 0 ? codes === 0 : codes > 0, `${codes} times for code`);
      const { items } = (await get(`addresses/${token}/transactions`)) as { items: Json[] };
      for (const item of items) {
        const { decoded_input, method } = await get(`transactions/${item.hash}`);
        const [listed, alone] = [item.decoded_input, decoded_input] as (Shown | null)[];
        assert.deepEqual(
          [item.method, listed && { ...listed, origin: "" }],
          [method, alone && { ...alone, origin: "" }],
        );
        assert.equal(listed?.origin, alone === null ? undefined : "known");
      }
    });
  }
});

test("a call of an unknown contract is decoded from its bytecode, marked as a guess, and raw in lists", async (t) => {
  const { chain, send, deploy, get } = await open(t);
  const reverting = await deploy(REVERTING);
  const { hash } = await send(reverting, callOf(REVERTING, "oddly", chain.other.address, true));

  const body = await get(`transactions/${hash}`);
  const selector = (body.raw_input as string).slice(0, 10);

  assert.deepEqual(body.decoded_input, {
    method_id: selector.slice(2),
    method_call: `${selector}(address, bool)`,
    parameters: [
      { name: "", type: "address", value: chain.other.address },
      { name: "", type: "bool", value: "true" },
    ],
    origin: "bytecode",
    is_guess: true,
  });
  assert.equal(body.method, selector);
  for (const list of ["transactions", "main-page/transactions", `addresses/${reverting}/transactions`]) {
    const { items } = (await get(list)) as { items: Json[] };
    const item = items.find((one) => one.hash === hash)!;
    assert.deepEqual([item.decoded_input, item.method], [null, selector], list);
  }
  const [log] = (await get(`transactions/${hash}/logs`)).items as Json[];
  assert.equal(log!.decoded, null);
});

test("a proxy is decoded by the ABI of who runs for it, and by its bytecode where there is none", async (t) => {
  const published = [PROXY, TOKEN];
  const { chain, send, deploy, get } = await open(t, { abis: memoryAbis(published) });
  const token = await deploy(TOKEN, "Coin", "COIN");
  const proxy = await deploy(PROXY, token, callOf(TOKEN, "approve", chain.other.address, 9n));
  const { hash } = await send(proxy, callOf(TOKEN, "approve", chain.other.address, 10n));
  const reverting = await deploy(PROXY, await deploy(REVERTING), "0x");
  const unknown = await send(reverting, callOf(REVERTING, "oddly", chain.other.address, false));

  const { decoded_input: call } = await get(`transactions/${hash}`);
  const { items } = (await get(`addresses/${proxy}/logs`)) as { items: { decoded: Shown }[] };
  const { decoded_input: guess } = await get(`transactions/${unknown.hash}`);

  assert.deepEqual([(call as Shown).origin, (call as Shown).method_call.slice(0, 8)], ["implementation", "approve("]);
  assert.deepEqual(
    items.map(({ decoded }) => [decoded.origin, decoded.method_call.split("(")[0]]),
    [
      ["implementation", "Approval"],
      ["implementation", "Approval"],
      ["abi", "Upgraded"],
    ],
  );
  assert.deepEqual([(guess as Shown).origin, (guess as Shown).is_guess], ["bytecode", true]);
});

test("signatures of ABIs decode calls of contracts whose code fits none of them", async (t) => {
  const abis: Published[] = [{ abi: REVERTING.abi }];
  const { chain, send, deploy, get } = await open(t, { abis: memoryAbis(abis) });
  const reverting = await deploy(REVERTING);
  const { hash } = await send(reverting, callOf(REVERTING, "oddly", chain.other.address, true));

  const body = await get(`transactions/${hash}`);
  const [log] = (await get(`transactions/${hash}/logs`)).items as { decoded: Shown }[];
  const [listed] = (await get("transactions")).items as Json[];

  assert.equal((body.decoded_input as Shown).method_call, "oddly(address who, bool yes)");
  assert.equal((body.decoded_input as Shown).origin, "known");
  assert.deepEqual(
    log!.decoded.parameters.map(({ value }) => value),
    [chain.other.address, "odd", ["0", "0"]],
  );
  assert.equal(listed!.method, "oddly");
});

test("a call with trailing bytes is decoded with them, and one that is too long stays raw", async (t) => {
  const { chain, send, deploy, get } = await open(t, { abis: memoryAbis([TOKEN]) });
  const token = await deploy(TOKEN, "Coin", "COIN");
  const transfer = callOf(TOKEN, "transfer", chain.other.address, 0n);
  const goods = (length: number) =>
    callOf(GOODS, "safeTransferFrom", chain.other.address, chain.other.address, 1n, 1n, `0x${"00".repeat(length)}`);
  const trailing = await send(token, `${transfer}00`);
  const long = await send(token, goods(MAX_LISTED_INPUT_LENGTH));
  const tooLong = await send(token, goods(MAX_DECODED_LENGTH));

  const shown = await Promise.all(
    [trailing, long, tooLong].map(async ({ hash }) => {
      const { decoded_input, method } = await get(`transactions/${hash}`);
      const item = ((await get("transactions")).items as Json[]).find((one) => one.hash === hash)!;
      return [(decoded_input as Shown | null)?.trailing_data, method, decoded_input === null, item];
    }),
  );

  assert.deepEqual(
    shown.map(([trailingData, method, isRaw]) => [trailingData, method, isRaw]),
    [
      ["0x00", "transfer", false],
      [undefined, "safeTransferFrom", false],
      [undefined, "0xf242432a", true],
    ],
  );
  const items = shown.map(([, , , item]) => item as Json);
  assert.deepEqual(
    items.map(({ method, decoded_input }) => [method, (decoded_input as Shown | null)?.trailing_data]),
    [
      ["transfer", "0x00"],
      ["safeTransferFrom", undefined],
      ["safeTransferFrom", undefined],
    ],
  );
  assert.deepEqual(
    items.map(({ decoded_input }) => decoded_input === null),
    [false, true, true],
  );
});

describe("a transaction that failed", () => {
  test("says why, in the words of the node and the contract", async (t) => {
    const { chain, send, deploy, get } = await open(t, { abis: memoryAbis([REVERTING]) });
    const reverting = await deploy(REVERTING);
    const fail = async (name: string, ...args: unknown[]) => {
      const { hash } = await send(reverting, callOf(REVERTING, name, ...args), 300_000n);
      const { status, result, revert_reason } = await get(`transactions/${hash}`);
      const traced = await chain.ask<{ error: string }>("debug_traceTransaction", hash, { tracer: "callTracer" });
      assert.deepEqual([status, result], ["error", traced.error], name);
      const listed = ((await get("transactions")).items as Json[])[0]!;
      assert.deepEqual([listed.hash, listed.result, listed.revert_reason], [hash, "error", null]);
      return { result, reason: revert_reason as Shown | null };
    };

    const text = await fail("text");
    const panic = await fail("divide", 0n);
    const custom = await fail("custom");
    const silent = await fail("silent");
    const forever = await fail("forever");

    assert.deepEqual(text, {
      result: "execution reverted",
      reason: {
        method_id: "08c379a0",
        method_call: "Error(string reason)",
        parameters: [{ name: "reason", type: "string", value: "not yours" }],
        text: "not yours",
        origin: "abi",
        is_guess: false,
      },
    });
    assert.equal(panic.reason!.text, "division or modulo by zero");
    assert.equal(custom.reason!.method_call, "Short(address who, uint256 missing)");
    assert.deepEqual(
      custom.reason!.parameters.map(({ value }) => value),
      [chain.account.address, "3"],
    );
    assert.deepEqual(silent, { result: "execution reverted", reason: null });
    assert.deepEqual(forever, { result: "out of gas", reason: null });
  });

  test("has its data as it is where no error is known for it, and creations have theirs", async (t) => {
    const { send, deploy, get } = await open(t);
    const reverting = await deploy(REVERTING);
    const custom = await send(reverting, callOf(REVERTING, "custom"), 300_000n);
    // Keeps a word and reverts with its last two bytes.
    const creation = await send(undefined, "0x61c0de5f526002601efd", 300_000n);

    const raw = (await get(`transactions/${custom.hash}`)).revert_reason as { raw: Hex };
    const { revert_reason, result } = await get(`transactions/${creation.hash}`);

    assert.match(raw.raw, /^0x[0-9a-f]{136}$/);
    assert.deepEqual([revert_reason, result], [{ raw: "0xc0de" }, "execution reverted"]);
  });

  test("fails without a reason where the node does not trace, or says what makes no sense", async (t) => {
    const answers: unknown[] = [
      null,
      [],
      "0x",
      { error: 7 },
      { error: "" },
      { output: "0x" },
      { error: "execution reverted", output: "0xz" },
      { error: "execution reverted", output: 5 },
      { error: "execution reverted", output: "0x", padding: "x".repeat(5 << 20) },
    ];
    let answer: unknown;
    const around =
      (handle: HandleBody): HandleBody =>
      (body, isTrusted) => {
        if (!body.includes("debug_")) return handle(body, isTrusted);
        const { id } = JSON.parse(body) as { id: number };
        const error = { code: -32601, message: "the method debug_traceTransaction does not exist/is not available" };
        return Promise.resolve(
          JSON.stringify({ jsonrpc: "2.0", id, ...(answer === undefined ? { error } : { result: answer }) }),
        );
      };
    const { send, deploy, get } = await open(t, { around });
    const { hash } = await send(await deploy(REVERTING), callOf(REVERTING, "text"), 300_000n);

    for (answer of [undefined, ...answers]) {
      const { status, result, revert_reason } = await get(`transactions/${hash}`);
      assert.deepEqual([status, result, revert_reason], ["error", "error", null], JSON.stringify(answer)?.slice(0, 80));
    }
    answer = { error: `bad\u202e${"x".repeat(1000)}`, output: `0x${"00".repeat(1 << 18)}` };
    const { result, revert_reason } = await get(`transactions/${hash}`);
    assert.deepEqual([result, revert_reason], [`bad${"x".repeat(196)}`, null]);
  });
});

test("decoding.md lists every field of what is decoded, and no other", async (t) => {
  const { chain, send, deploy, get } = await open(t);
  const token = await deploy(TOKEN, "Coin", "COIN");
  const minted = await send(token, callOf(TOKEN, "mint", chain.other.address, 5n));
  const followed = await send(token, `${callOf(TOKEN, "mint", chain.other.address, 5n)}00`);
  const failed = await send(token, callOf(TOKEN, "burn", 5n), 300_000n);
  const sections = readSections("docs/decoding.md");
  const fieldsOf = (title: string, tables = 1) =>
    sections
      .get(title)!
      .tables.slice(0, tables)
      .flatMap((rows) => rows.map((row) => plain(row.Field!)));

  const { decoded_input } = await get(`transactions/${minted.hash}`);
  const [log] = (await get(`transactions/${minted.hash}/logs`)).items as { decoded: Shown }[];
  const { revert_reason } = await get(`transactions/${failed.hash}`);

  assert.deepEqual(Object.keys(decoded_input as Shown), fieldsOf("Decoded call"));
  const { decoded_input: whole } = await get(`transactions/${followed.hash}`);
  assert.deepEqual(Object.keys(whole as Shown), fieldsOf("Decoded call", 2));
  assert.deepEqual(Object.keys(log!.decoded), fieldsOf("Decoded log"));
  assert.deepEqual(Object.keys(revert_reason as Shown).sort(), fieldsOf("Revert reason").sort());
});
