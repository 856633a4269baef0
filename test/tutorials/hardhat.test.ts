import assert from "node:assert/strict";
import { test } from "node:test";
import { freePort } from "../support/postgresServer.ts";
import { findHardhat } from "../support/realNode.ts";
import { runTutorial } from "../support/tutorial.ts";

const hardhat = findHardhat();
const skip = typeof hardhat === "string" ? hardhat : false;

test("the explorer of a hardhat project is there as the tutorial says, from an empty folder", { skip }, async (t) => {
  const replace = { 8545: String(await freePort()), 6770: String(await freePort()) };

  assert.equal(await runTutorial(t, "hardhat", { replace }), 6);
});
