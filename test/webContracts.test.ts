import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { Contract, getAddress, parseEther } from "ethers";
import type { Json } from "./support/api.ts";
import { urlsOf } from "./support/networks.ts";
import { makeTemporaryDirectory, runProgram } from "./support/program.ts";
import { COMPILER, compile, inputOf, PROXY, VerifyingNetwork } from "./support/verification.ts";
import { until } from "./support/waiting.ts";
import { getPage, shownText, textOf } from "./support/webPages.ts";

const { directory, remove } = makeTemporaryDirectory();
const program = runProgram({ after }, [
  "start",
  "--network",
  "testnet",
  "--port",
  "0",
  "--poll",
  "50",
  "--data",
  directory,
]);
after(remove);
const { testnet } = await urlsOf(program, 1);
const network = new VerifyingNetwork(testnet!);
after(() => network.close());

const page = (path: string, status?: number) => getPage(`${network.url}${path}`, status);

/** A reduced set of outputs for a contract of many files: solc is slow to print the rest. */
const FEW_OUTPUTS = { outputSelection: { "*": { "*": ["abi", "metadata", "evm.bytecode.object"] } } };

const HEAD = "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\n";
const partSource = (at: number) => `${HEAD}interface Part${at} {}\n// ${"filling ".repeat(500)}`;

const VAULT = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
import "./Base.sol";
/* <img src=x onerror=alert(1)> */
contract Vault is Base {
  string public motto;
  constructor(uint256 start, string memory words) Base(start) { motto = words; }
}`;
const BASE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
abstract contract Base {
  uint256 public total;
  error TooMuch(uint256 asked, string why);
  struct Pair { uint256 left; address right; }
  constructor(uint256 start) { total = start; }
  function add(uint256 by) external payable returns (uint256) { total += by; return total; }
  function double(uint256[] calldata values) external pure returns (uint256[] memory doubled) {
    doubled = new uint256[](values.length);
    for (uint256 at = 0; at < values.length; at++) doubled[at] = values[at] * 2;
  }
  function turn(Pair calldata pair) external pure returns (Pair memory) { return pair; }
  function fail(uint256 asked) external pure { revert TooMuch(asked, "<b>no</b>"); }
}`;
const contract = "src/Vault.sol:Vault";
const input = inputOf({ "src/Vault.sol": VAULT, "src/Base.sol": BASE });
const compiled = compile(input, contract);
const MOTTO = "<script>alert(1)</script>";
const vault = await network.deploy(compiled, 42n, MOTTO);
const twin = await network.deploy(compiled, 7n, "twin");
const unknown = await network.deploy(
  compile(
    inputOf({
      "A.sol":
        "contract A { uint256 public totalSupply = 5; string public name = '<b>Window'; function poke(address) external {} }",
    }),
    "A.sol:A",
  ),
);

describe("the contract tab", () => {
  test("of an unverified contract shows guesses, and leads to verification", async () => {
    const shown = await page(`/address/${unknown}?tab=contract`);

    assert.match(shown, /is not verified/);
    assert.match(shown, new RegExp(`href="/verify\\?address=${getAddress(unknown)}"`));
    assert.match(shown, /<code>0x18160ddd<\/code>.*<code>totalSupply\(\)<\/code><\/td><td[^>]*>view/);
    assert.match(shown, /Guessed from the bytecode/);
    assert.ok(shown.includes(await network.node.getCode(unknown)));
  });

  test("of a verified contract shows what the REST API says", async () => {
    assert.equal(
      (await network.verify({ address: vault, contract, input }, { licenseType: "3" })).result,
      "Pass - Verified",
    );
    const record = await network.rest(`/smart-contracts/${vault}`);
    const first = await page(`/address/${vault}?tab=contract`);
    const second = await page(`/address/${vault}?tab=contract&file=1`);

    assert.equal(textOf(first, "code"), record.source_code);
    const [other] = record.additional_sources as Json[];
    assert.equal(textOf(second, "code"), other!.source_code);
    assert.match(shownText(second), /src\/Base\.sol/);
    assert.deepEqual(JSON.parse(textOf(first, "abi")), record.abi);
    assert.deepEqual(JSON.parse(textOf(first, "settings")), record.compiler_settings);
    for (const text of [record.compiler_version, "perfect", "MIT", "on, 200 runs", MOTTO, record.constructor_args]) {
      assert.ok(shownText(first).includes(String(text)), String(text));
    }
    assert.ok(first.includes(String(record.deployed_bytecode)));
    assert.ok(first.includes(String(record.creation_bytecode).slice(0, 1000)));
    assert.match(first, /href="\/api\/v2\/smart-contracts\/0x/);
    assert.doesNotMatch(first, /<img src=x|<script>alert/);
  });

  test("the verified contracts are listed as the REST API lists them", async () => {
    const { items } = (await network.rest("/smart-contracts")) as unknown as { items: Json[] };
    const shown = await page("/verified-contracts");
    const rows = [...shown.matchAll(/<tr><td>.*?<\/tr>/gs)].map(([row]) => row);

    assert.equal(rows.length, items.length);
    for (const [at, { address, coin_balance, transactions_count }] of items.entries()) {
      const { hash, name } = address as Json;
      for (const part of [
        `/address/${hash}`,
        String(name),
        `value="${coin_balance}"`,
        `value="${transactions_count}"`,
      ]) {
        assert.ok(rows[at]!.includes(part), `${part} in ${rows[at]}`);
      }
    }
    assert.match(shownText(shown), /Solidity \d+\.\d+\.\d+, optimized/);
  });

  test("of a contract with the same code names the one that was verified", async () => {
    const shown = await page(`/address/${twin}?tab=contract`);

    assert.match(shownText(shown), new RegExp(`another contract with the same code, ${getAddress(vault)}`));
    assert.equal(textOf(shown, "code"), VAULT);
    assert.doesNotMatch(shown, /Constructor arguments/);
  });

  test("of a contract of 200 files lists them all and shows one at a time", async () => {
    const parts = Array.from({ length: 199 }, (_, at) => [`lib/Part${at}.sol`, partSource(at)] as const);
    const imports = parts.map(([path]) => `import "../${path}";`).join("\n");
    const whole = `${HEAD}${imports}\ncontract Whole { uint256 public size = 199; }`;
    const many = inputOf({ "src/Whole.sol": whole, ...Object.fromEntries(parts) }, FEW_OUTPUTS);
    const address = await network.deploy(compile(many, "src/Whole.sol:Whole"));
    await network.verify({ address, contract: "src/Whole.sol:Whole", input: many });

    const shown = await page(`/address/${address}?tab=contract&file=199`);

    const { additional_sources } = await network.rest(`/smart-contracts/${address}`);
    assert.equal(textOf(shown, "code"), (additional_sources as Json[])[198]!.source_code);
    assert.equal(shown.match(/file=\d+#source/g)?.length, 200);
    assert.ok(shown.length < 150_000, `${shown.length} characters`);
  });

  test("says what is not there", async () => {
    assert.match(await page(`/address/${vault}?tab=contract&file=2`, 422), /There is no such file here/);
    assert.match(await page(`/address/${network.wallet.address}?tab=contract`), /There is no code/);
    assert.doesNotMatch(await page(`/address/${network.wallet.address}`), /tab=contract/);
  });
});

/** The answer of one function on a page. */
function answerOf(shown: string, selector: string): string {
  const [, part] = shown.split(`id="f-${selector}"`);
  assert.ok(part, `${selector} is on the page`);
  return shownText(part.split('id="f-0x')[0]!.split('class="answer"').slice(1).join("").replace(/^>/, ""));
}

const target = new Contract(vault, compiled.abi, network.wallet);
const selectorOf = (name: string) => target.interface.getFunction(name)!.selector;
const call = (tab: string, name: string, fields: Readonly<Record<string, string>> = {}, address = vault) =>
  page(`/address/${address}?${new URLSearchParams({ tab, function: selectorOf(name), ...fields })}`);

describe("reading a contract", () => {
  test("what takes no arguments is answered at once", async () => {
    const shown = await page(`/address/${vault}?tab=read`);

    assert.match(answerOf(shown, selectorOf("total")), new RegExp(`^${await target.getFunction("total")()} uint256`));
    assert.ok(answerOf(shown, selectorOf("motto")).startsWith(MOTTO));
    assert.doesNotMatch(shown, /<script>alert/);
    assert.ok(!shown.includes(selectorOf("add")), "nothing that writes");
  });

  test("arguments of every kind are encoded, and results decoded", async () => {
    const doubled = await call("read", "double", {
      arg0: "[1, 0x10, 115792089237316195423570985008687907853269984665640564039457584007913129639935]",
    });
    const turned = await call("read", "turn", { arg0: `(9, ${network.wallet.address})` });
    const few = await call("read", "double", { arg0: "[3,4]" });

    assert.match(answerOf(doubled, selectorOf("double")), /It reverted: arithmetic/i);
    assert.match(few, /<ol class="values" start="0"><li><code>6<\/code><\/li><li><code>8<\/code><\/li><\/ol>/);
    assert.match(answerOf(turned, selectorOf("turn")), new RegExp(`^left 9right ${network.wallet.address}`));
  });

  test("a revert is shown with its reason, a wrong argument with what is expected", async () => {
    const failed = await call("read", "fail", { arg0: "5" });
    const wrong = await call("read", "turn", { arg0: "<img src=x>" });
    const missing = await call("read", "double");
    const caller = await call("read", "add", { static: "1", arg0: "1", from: "me" });

    assert.match(answerOf(failed, selectorOf("fail")), /It reverted: TooMuch[\s\S]*askeduint2565[\s\S]*<b>no<\/b>/);
    assert.doesNotMatch(failed, /<b>no/);
    assert.match(shownText(wrong), /pair: “<img src=x>” does not fit: \(uint256,address\) is a list of 2 in brackets/);
    assert.doesNotMatch(wrong, /<img src=x>/);
    assert.match(shownText(missing), /nothing was given/);
    assert.match(shownText(caller), /Called by: an address is/);
  });

  test("a function that changes the state can be tried without changing it", async () => {
    const before = await target.getFunction("total")();
    const shown = await call("read", "add", { static: "1", arg0: "100", from: network.wallet.address });

    assert.match(answerOf(shown, selectorOf("add")), new RegExp(`^${before + 100n} uint256`));
    assert.equal(await target.getFunction("total")(), before);
    assert.match(await page(`/address/${vault}?tab=read&function=${selectorOf("add")}`, 422), /no such function/);
  });

  test("guesses can be read, and nonsense is refused", async () => {
    const shown = await page(`/address/${unknown}?tab=read`);

    assert.match(shown, /guesses/);
    assert.match(answerOf(shown, "0x18160ddd"), /^5 if it is a number/);
    assert.match(answerOf(shown, "0x06fdde03"), /^<b>Window if it is text/);
    assert.doesNotMatch(shown, /<b>Window/);
    await page(`/address/${vault}?tab=read&function=0x12345678`, 422);
    await page(`/address/${vault}?tab=read&function=${"x".repeat(5000)}`, 422);
    await page(`/address/${vault}?tab=read&function=a&function=b`);
    const { status } = await fetch(`${network.url}/address/${vault}?tab=read&arg0=${"1".repeat(1_000_000)}`);
    assert.ok(status === 414 || status === 431, String(status));
  });
});

test("a proxy is read and written by the ABI of its implementation", async () => {
  const proxy = await network.deploy(compile(inputOf({ "Proxy.sol": PROXY }), "Proxy.sol:Proxy"), vault);
  const read = await page(`/address/${proxy}?tab=read-proxy`);
  const encoded = await encode(proxy, { tab: "write-proxy", function: selectorOf("add"), arg0: "4" });

  assert.match(answerOf(read, selectorOf("total")), /^0 uint256/);
  assert.match(await page(`/address/${proxy}`), /tab=write-proxy/);
  assert.deepEqual([encoded.to, encoded.data], [getAddress(proxy), target.interface.encodeFunctionData("add", [4n])]);
  assert.doesNotMatch(await page(`/address/${vault}`), /tab=write-proxy/);
});

async function encode(address: string, fields: Readonly<Record<string, string>>): Promise<Json> {
  const response = await fetch(`${network.url}/address/${address}/encode?${new URLSearchParams(fields)}`);
  return (await response.json()) as Json;
}

describe("writing a contract", () => {
  test("what a wallet gets is what ethers would send", async () => {
    const { to, data, value, chainId } = await encode(vault, {
      tab: "write",
      function: selectorOf("add"),
      arg0: "7",
      value: "1.5",
    });
    const sent = await network.wallet.sendTransaction({ to: String(to), data: String(data), value: String(value) });
    await sent.wait();

    assert.equal(data, target.interface.encodeFunctionData("add", [7n]));
    assert.deepEqual([BigInt(String(value)), chainId], [parseEther("1.5"), "0x3c8"]);
    assert.equal(await target.getFunction("total")(), 49n);
  });

  test("without scripts the page shows what to send", async () => {
    const shown = await call("write", "add", { arg0: "7", value: "0.25" });

    assert.equal(textOf(shown, "calldata"), target.interface.encodeFunctionData("add", [7n]));
    assert.match(shownText(shown), /Send 250,000,000,000,000,000 wei to 0x/);
    assert.ok(!shown.includes(selectorOf("motto")), "nothing that only reads");
  });

  test("what cannot be sent is refused in words", async () => {
    const add = { tab: "write", function: selectorOf("add") };

    assert.match(String((await encode(vault, { ...add, arg0: "x" })).error), /^by: “x” does not fit/);
    assert.match(String((await encode(vault, { ...add, arg0: "1", value: "-1" })).error), /number of coins/);
    assert.match(String((await encode(vault, { tab: "write", function: "0x" })).error), /no such function/);
    assert.match(shownText(await call("write", "add", { arg0: "1", value: "much" })), /number of coins/);
  });
});

const POCKET = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Pocket { uint256 public coins = 3; }`;

describe("the verification form", () => {
  const pocketInput = inputOf({ "Pocket.sol": POCKET });
  const submit = (fields: Readonly<Record<string, string>>, file?: string) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    if (file !== undefined) form.append("file", new Blob([file]), "input.json");
    return fetch(`${network.url}/verify`, { method: "POST", body: form, redirect: "manual" });
  };
  const common = { contract_name: "Pocket", compiler_version: COMPILER };

  /** The page of a source, once it is verified. */
  async function settle(location: string): Promise<string> {
    await until("it was compiled", async () => {
      const { state } = (await (await fetch(`${network.url}${location}/state`)).json()) as Json;
      return state !== "pending";
    });
    return page(location);
  }

  test("has the compilers that are here and the address it was opened for", async () => {
    const shown = await page(`/verify?address=${vault}`);

    const { solidity_compiler_versions } = await network.rest("/smart-contracts/verification/config");
    for (const version of solidity_compiler_versions as string[]) assert.ok(shown.includes(`value="${version}"`));
    assert.match(shown, new RegExp(`name="address"[^>]* value="${vault}"`));
    assert.doesNotMatch(await page(`/verify?address=${encodeURIComponent('"><script>')}`), /"><script>/);
  });

  test("verifies a standard JSON input that is uploaded, and says so", async () => {
    const address = await network.deploy(compile(pocketInput, "Pocket.sol:Pocket"));
    const { status, headers } = await submit({ ...common, address }, JSON.stringify(pocketInput));
    const shown = await settle(headers.get("location")!);

    assert.equal(status, 303);
    assert.match(shownText(shown), new RegExp(`Verified. The source of ${getAddress(address)}`));
    assert.equal((await network.rest(`/smart-contracts/${address}`)).is_fully_verified, true);
  });

  test("verifies one file as a plain form sends it, and says why another is not it", async () => {
    const other = POCKET.replace("Pocket", "Purse");
    const input = inputOf({ "Purse.sol": other }, { optimizer: { enabled: true, runs: 99 } });
    const address = await network.deploy(compile(input, "Purse.sol:Purse"));
    const send = (source: string) =>
      fetch(`${network.url}/verify`, {
        method: "POST",
        redirect: "manual",
        body: new URLSearchParams({
          ...common,
          contract_name: "Purse",
          address,
          format: "single-file",
          source,
          runs: "99",
        }),
      });

    const failed = await settle((await send(other.replace("coins", "cents"))).headers.get("location")!);
    const shown = await page(`/address/${address}?tab=contract`);
    const verified = await settle((await send(other)).headers.get("location")!);

    assert.match(shownText(failed), /Not verified.*compiles to other code/s);
    assert.match(shownText(shown), /was not verified:.*compiles to other code/s);
    assert.match(shownText(verified), /Verified\./);
  });

  test("what cannot be right is refused at once, and the form keeps what was filled in", async () => {
    const cases: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
      [{ ...common, address: "0x12", source: "{}" }, /An address is 0x and 40 hex digits/],
      [{ ...common, address: vault }, /There is no source/],
      [{ ...common, address: vault, source: "{}", compiler_version: "<b>" }, /released version of solc/],
      [{ ...common, address: vault, source: "{}", contract_name: "a b" }, /name of a contract/],
      [{ ...common, address: vault, source: "a", format: "single-file", runs: "-1" }, /Optimizer runs/],
      [{ ...common, address: vault, source: "{}" }, /verified already/],
      [{ ...common, address: network.wallet.address, source: "<i>" }, /no contract at this address/],
    ];
    for (const [fields, reason] of cases) {
      const response = await submit(fields);
      const shown = await response.text();
      assert.equal(response.status, 422);
      assert.match(shownText(shown), reason);
      assert.match(shown, new RegExp(`name="address"[^>]* value="${fields.address}"`));
      assert.doesNotMatch(shown, /<b>|<i>/);
    }
    const put = await fetch(`${network.url}/verify`, { method: "PUT", body: "{}" });
    assert.deepEqual([put.status, put.headers.get("allow")], [405, "GET, HEAD, POST, OPTIONS"]);
    await page(`/verify/${"0".repeat(56)}`, 404);
    await page("/verify/x", 404);
  });
});

describe("the page for developers", () => {
  test("names every interface by where it was reached, and they are there", async () => {
    const shown = shownText(await page("/developers"));
    const paths = [...shown.matchAll(/(http:\/\/127\.0\.0\.1:\d+)(\/\S*)/g)].map(([, origin, path]) => {
      assert.equal(origin, network.url);
      return path!;
    });

    for (const path of ["/rpc", "/api/v2", "/api", "/api/v1"]) assert.ok(paths.some((each) => each.startsWith(path)));
    assert.match(shown, /chain 968 \(0x3c8\)/);
  });

  test("shows funded accounts to local clients only", async () => {
    const accounts = (await network.node.send("eth_accounts", [])) as string[];
    const here = await page("/developers");
    const elsewhere = [{ origin: "https://example.com" }, { "x-forwarded-for": "1.2.3.4" }];

    for (const account of accounts) assert.ok(here.includes(getAddress(account)));
    assert.ok(here.includes(network.wallet.privateKey));
    for (const headers of elsewhere) {
      const shown = await (await fetch(`${network.url}/developers`, { headers })).text();
      assert.doesNotMatch(shown, /Funded accounts|faucet/);
      const body = new URLSearchParams({ address: vault });
      assert.equal((await fetch(`${network.url}/developers/faucet`, { method: "POST", body, headers })).status, 403);
    }
  });

  test("the faucet sends coins of the first account", async () => {
    const sender = `0x${"5a".repeat(20)}`;
    const give = (address: string) =>
      fetch(`${network.url}/developers/faucet`, {
        method: "POST",
        body: new URLSearchParams({ address }),
        redirect: "manual",
      });
    const response = await give(sender);
    const hash = /^\/tx\/(0x[\da-f]{64})$/.exec(response.headers.get("location") ?? "")?.[1];
    const receipt = await network.node.waitForTransaction(hash!, 1);

    assert.deepEqual([response.status, receipt?.from], [303, network.wallet.address]);
    assert.equal(await network.node.getBalance(sender), parseEther("100"));
    assert.equal((await give("me")).status, 422);
  });
});
