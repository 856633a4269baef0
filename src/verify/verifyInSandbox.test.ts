import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { HOSTILE } from "../../test/support/verification/hostile.ts";
import { soljsonOf, versionOf } from "../../test/support/verification/releases.ts";
import { parseCompilerVersion } from "./compilerVersion.ts";
import type { VerificationTask } from "./verification.ts";
import { VERIFICATION_LIMITS, verifyInSandbox } from "./verifyInSandbox.ts";

const TASK: VerificationTask = {
  soljson: soljsonOf("0.8.37"),
  compiler: parseCompilerVersion(versionOf("0.8.37")),
  source: { format: "single-file", text: "", optimizerRuns: undefined, evmVersion: undefined, libraries: {} },
  contract: "A.sol:A",
  chainId: 677,
  address: `0x${"11".repeat(20)}`,
  code: "0x6001600055",
  creation: undefined,
};

/** Generous, for a loaded machine. */
const LIMITS = { ...VERIFICATION_LIMITS, milliseconds: 60_000 };

describe("hostile sources end contained, with a reason in words", { concurrency: 2 }, () => {
  for (const { what, task, limits, message } of HOSTILE) {
    test(what, async () => {
      const outcome = await verifyInSandbox({ ...TASK, ...task }, { ...LIMITS, ...limits });

      assert.ok("failure" in outcome, "it was verified");
      assert.match(outcome.failure.message, message);
      assert.ok(outcome.failure.message.length <= 2001);
    });
  }
});
