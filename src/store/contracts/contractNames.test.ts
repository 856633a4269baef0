import assert from "node:assert/strict";
import { test } from "node:test";
import { typicalEventLoopDelay } from "../../../test/support/eventLoopDelay.ts";
import type { NamedContract } from "./contractNames.ts";
import { findByName, MAX_CONTRACTS_FOUND, searchedName } from "./contractNames.ts";

const contractOf = (name: string, id: number): NamedContract => ({
  address: `0x${id.toString(16).padStart(40, "0")}`,
  id,
  name,
  language: "Solidity",
  text: searchedName(name),
});

test("the best matches of a name come first, then in the order given, at most as many as a search has", async () => {
  const names = ["AVault", "My_Vault", "VaultFactory", "vault", "Vault", "Other"];

  const found = await findByName(names.map(contractOf), "VAULT");
  const many = await findByName(
    Array.from({ length: 3000 }, (_, id) => contractOf(id === 2999 ? "Token" : "TokenProxy", id)),
    "token",
  );

  assert.deepEqual(
    found.map(({ contract }) => contract.name),
    ["vault", "Vault", "VaultFactory", "My_Vault", "AVault"],
  );
  assert.deepEqual([many.length, many[0]!.contract.name], [MAX_CONTRACTS_FOUND, "Token"]);
});

test("half a million long names are looked through in turns with others", async () => {
  const name = "A".repeat(128);
  const contracts = Array.from({ length: 500_000 }, (_, id) => contractOf("", id)).map((one) => ({
    ...one,
    text: name,
  }));

  const held = await typicalEventLoopDelay(() => findByName(contracts, `${"a".repeat(126)}b`), 50);

  assert.ok(held < 50, `${held} ms`);
});

test("hostile queries end soon and find nothing", async () => {
  for (const query of ["", " ", "\0", "\u202e", "a".repeat(1_000_000), "\u0301".repeat(100_000)]) {
    assert.deepEqual(await findByName([contractOf("Vault", 1)], query), []);
  }
});
