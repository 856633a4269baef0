import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { getAddress } from "ethers";
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
