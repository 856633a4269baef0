import assert from "node:assert/strict";
import { test } from "node:test";
import { openSite } from "../support/site.ts";
import { plainTokens } from "../support/tokenOracle.ts";

test("an id that is no number below 2^256 is named, and one that no transfer named is not found", async (t) => {
  const site = await openSite(t, { seed: 7, blocks: 20 });
  const { token } = plainTokens(site.chain).transfers.find(({ kind }) => kind === "ERC-721")!;
  const max = 2n ** 256n - 1n;

  for (const id of ["9".repeat(80), "1".repeat(5000), String(max + 1n), "0x1", "-1", "1.0", "one"]) {
    for (const list of ["", "/transfers", "/transfers-count", "/holders"]) {
      const { status, body } = await site.fetch(`tokens/${token}/instances/${id}${list}`);
      assert.deepEqual([status, body], [422, REFUSED], id);
    }
  }
  assert.equal((await site.fetch(`tokens/${token}/instances/${max}`)).status, 404);
  assert.equal((await site.fetch(`tokens/0x${"1".repeat(40)}/instances/1`)).status, 404);
  assert.equal((await site.fetch(`tokens/0x${"1".repeat(40)}/instances`)).status, 404);
});

const REFUSED = {
  message: "Invalid parameter(s)",
  errors: [
    {
      title: "Invalid value",
      source: { pointer: "/token_id_param" },
      detail: "Invalid format. Expected a decimal number below 2^256",
    },
  ],
};

test("types are those of the standards, and others are named", async (t) => {
  const site = await openSite(t, { seed: 7, blocks: 5 });
  const address = `0x${"1".repeat(40)}`;

  for (const path of ["tokens", "nft", "nft/collections"]) {
    for (const type of ["ERC-721", "ERC-1155,ERC-721", "ERC-404", ""]) {
      assert.equal((await site.list(`addresses/${address}/${path}?type=${type}`)).total_count, 0);
    }
    const { status, body } = await site.fetch(`addresses/${address}/${path}?type=ERC-9`);
    assert.deepEqual([status, JSON.stringify(body).includes("/type")], [422, true]);
  }
  assert.equal((await site.fetch(`addresses/${address}/nft?type=ERC-20`)).status, 422);
  assert.equal((await site.list(`addresses/${address}/nft/collections`, { page_size: 1000 })).page_size, 50);
});
