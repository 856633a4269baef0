import assert from "node:assert/strict";
import { test } from "node:test";
import type { CorpusContract } from "../../test/support/verification/corpus.ts";
import { inputOf } from "../../test/support/verification/corpus.ts";
import type { Release } from "../../test/support/verification/releases.ts";
import { compileWith, taskOf } from "../../test/support/verification/releases.ts";
import { verifyContract } from "./verifyContract.ts";

const locals = Array.from({ length: 20 }, (_, at) => `uint256 a${at} = x + ${at};`).join(" ");
const sum = Array.from({ length: 20 }, (_, at) => `a${at}`).join(" * ");

const WANTED = "contract Wanted { function one() external pure returns (uint256) { return 1; } }";
/** solc generates no code for it: its variables do not fit the stack. */
const TOO_DEEP = `contract TooDeep { function f(uint256 x) external pure returns (uint256) { ${locals} return ${sum}; } }`;

const CHECKED: readonly Release[] = ["0.5.17", "0.8.37"];

for (const release of CHECKED) {
  test(`solc ${release} generates code for the contract that is verified, and for no other`, async () => {
    const project: CorpusContract = {
      what: "two files",
      release,
      settings: {},
      sources: { "Wanted.sol": WANTED },
      path: "Wanted.sol",
      name: "Wanted",
      change: ["", ""],
    };
    const { evm } = compileWith(release, inputOf(project))["Wanted.sol"]!.Wanted!;
    const whole = { ...project, sources: { ...project.sources, "TooDeep.sol": TOO_DEEP } };
    const code = `0x${evm.deployedBytecode.object}`;

    const { matches } = await verifyContract(taskOf(whole, `0x${"11".repeat(20)}`, code));

    assert.throws(() => compileWith(release, inputOf(whole)), /stack too deep/i);
    assert.equal(matches.runtime, "perfect");
  });
}
