import assert from "node:assert/strict";
import { test } from "node:test";
import { DevelopmentNode } from "../../../../test/support/developmentNode.ts";
import { fromHex } from "../../../chain/encoding/hex.ts";
import type { Wire } from "../../../chain/encoding/wire.ts";
import { developmentGenesis } from "../../developmentGenesis.ts";
import type { Genesis } from "../../genesis.ts";
import { Rules } from "../../rules.ts";
import { forkId } from "./forkId.ts";

interface Config {
  readonly activationTime: number;
  readonly blobSchedule: Wire;
  readonly chainId: string;
  readonly forkId: string;
  readonly precompiles: Wire;
  readonly systemContracts: Wire;
}

const GENESIS = developmentGenesis({ chainId: 968, gasLimit: 30_000_000, timestamp: 100, funded: [] });

test("eth_config returns the current rules, and no next fork", async () => {
  const node = await DevelopmentNode.open();

  const { current, next, last } = await node.ask<{ current: Config; next: unknown; last: unknown }>("eth_config");

  assert.equal(current.activationTime, 0);
  assert.equal(current.chainId, "0x3c8");
  assert.deepEqual(current.blobSchedule, { target: 3, max: 6, baseFeeUpdateFraction: 3_338_477 });
  assert.equal(Object.keys(current.precompiles).length, 17);
  assert.equal(Object.keys(current.systemContracts).length, 5);
  assert.deepEqual([next, last], [null, null]);
  await node.close();
});

test("eth_config returns the next and the last fork", async () => {
  const blobs = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 };
  const config = {
    ...GENESIS.config,
    osakaTime: 1000,
    bpo1Time: 2000,
    blobSchedule: { ...GENESIS.config.blobSchedule, osaka: blobs, bpo1: { ...blobs, max: 12 } },
  };
  const node = await DevelopmentNode.open({ genesis: { ...GENESIS, config } as Genesis, mines: false });

  const { current, next, last } = await node.ask<{ current: Config; next: Config; last: Config }>("eth_config");

  assert.deepEqual([current.activationTime, next.activationTime, last.activationTime], [0, 1000, 2000]);
  assert.equal(current.precompiles.P256VERIFY, undefined);
  assert.equal(next.precompiles.P256VERIFY, "0x0000000000000000000000000000000000000100");
  assert.deepEqual(last.blobSchedule, { ...blobs, max: 12 });
  assert.equal(new Set([current.forkId, next.forkId, last.forkId]).size, 3);
  await node.close();
});

test("fork ids are those of EIP-2124's own examples for mainnet", () => {
  const hash = fromHex("0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3");
  const forks = { homesteadBlock: 1_150_000, daoForkBlock: 1_920_000, eip150Block: 2_463_000, eip155Block: 2_675_000 };
  const config = {
    chainId: 1,
    ...forks,
    eip158Block: 2_675_000,
    byzantiumBlock: 4_370_000,
    petersburgBlock: 7_280_000,
  };

  const id = forkId(hash, new Rules({ ...GENESIS, config }), 0);

  assert.equal(id, "0x668db0af");
});

test("eth_capabilities reports all data as available from the first block on", async () => {
  const node = await DevelopmentNode.open();

  const { head, ...kinds } = await node.ask<Record<string, Wire>>("eth_capabilities");

  assert.equal(head!.number, "0x0");
  for (const kind of Object.values(kinds)) assert.deepEqual([kind.disabled, kind.oldestBlock], [false, "0x0"]);
  await node.close();
});
