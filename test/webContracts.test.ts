import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { Contract, getAddress, parseEther } from "ethers";
import type { Json } from "./support/api.ts";
import { startNetworks } from "./support/networks.ts";
import { compile, inputOf, VerifyingNetwork } from "./support/verification.ts";
import { getPage, shownText, textOf } from "./support/webPages.ts";

const { urls } = await startNetworks(after);
const network = new VerifyingNetwork(urls.testnet!);
after(() => network.close());

const page = (path: string, status?: number) => getPage(`${network.url}${path}`, status);

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
    inputOf({ "A.sol": "contract A { uint256 public totalSupply = 5; function poke(address) external {} }" }),
    "A.sol:A",
  ),
);

describe("the contract tab", () => {
  test("of an unverified contract shows guesses, and leads to verification", async () => {
    const shown = await page(`/address/${unknown}?tab=contract`);

    assert.match(shown, /is not verified/);
    assert.match(shown, new RegExp(`href="/verify\\?address=${getAddress(unknown)}"`));
    assert.match(shown, /<code>0x18160ddd<\/code>.*<code>totalSupply\(\)<\/code><\/td><td>view/);
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

  test("of a contract with the same code names the one that was verified", async () => {
    const shown = await page(`/address/${twin}?tab=contract`);

    assert.match(shownText(shown), new RegExp(`another contract with the same code, ${getAddress(vault)}`));
    assert.equal(textOf(shown, "code"), VAULT);
    assert.doesNotMatch(shown, /Constructor arguments/);
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
    assert.match(answerOf(turned, selectorOf("turn")), new RegExp(`^9${network.wallet.address}`));
  });

  test("a revert is shown with its reason, a wrong argument with what is expected", async () => {
    const failed = await call("read", "fail", { arg0: "5" });
    const wrong = await call("read", "turn", { arg0: "<img src=x>" });
    const missing = await call("read", "double");

    assert.match(answerOf(failed, selectorOf("fail")), /It reverted: TooMuch[\s\S]*askeduint2565[\s\S]*<b>no<\/b>/);
    assert.doesNotMatch(failed, /<b>no/);
    assert.match(shownText(wrong), /pair: “<img src=x>” does not fit: \(uint256,address\) is a list of 2 in brackets/);
    assert.doesNotMatch(wrong, /<img src=x>/);
    assert.match(shownText(missing), /nothing was given/);
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
    await page(`/address/${vault}?tab=read&function=0x12345678`, 422);
    await page(`/address/${vault}?tab=read&function=${"x".repeat(5000)}`, 422);
    await page(`/address/${vault}?tab=read&function=a&function=b`);
    const { status } = await fetch(`${network.url}/address/${vault}?tab=read&arg0=${"1".repeat(1_000_000)}`);
    assert.ok(status === 414 || status === 431, String(status));
  });
});

const PROXY = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Proxy {
  constructor(address to) {
    assembly { sstore(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc, to) }
  }
  fallback() external payable {
    assembly {
      let to := sload(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc)
      calldatacopy(0, 0, calldatasize())
      let done := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      if iszero(done) { revert(0, returndatasize()) }
      return(0, returndatasize())
    }
  }
}`;

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
