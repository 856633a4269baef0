import assert from "node:assert/strict";
import { STEADY_BLOCKS } from "../../../src/query/exchange/poolWindow.ts";
import { Random } from "../random.ts";
import { ExchangeDriver } from "./driver.ts";
import { exchangeSettings, IndexedExchange } from "./indexed.ts";
import type { ScenePool } from "./scene.ts";

export type Entry = Readonly<Record<string, unknown>>;

export interface Listed {
  readonly data: readonly Entry[];
  readonly meta: Entry;
  readonly code: number;
  readonly success: boolean;
}

/** Exchanges with some blocks of trades, as they are indexed, and their pools as the API lists them. */
export class DrivenExchange implements AsyncDisposable {
  readonly driver: ExchangeDriver;
  readonly indexed: IndexedExchange;
  pools: readonly Entry[] = [];

  private constructor(driver: ExchangeDriver, indexed: IndexedExchange) {
    this.driver = driver;
    this.indexed = indexed;
  }

  static async open(): Promise<DrivenExchange> {
    const driver = await ExchangeDriver.open(new Random(2026));
    const opened = new DrivenExchange(driver, await IndexedExchange.open(driver.chain, exchangeSettings(driver.scene)));
    await driver.chain.idle(STEADY_BLOCKS);
    for (let blocks = 0; blocks < 14; blocks++) await driver.act(4);
    await opened.indexed.observe();
    opened.pools = (await opened.list("/api/v1/pools?page_size=100")).data;
    return opened;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.indexed.close();
    await this.driver.close();
  }

  async list(url: string): Promise<Listed> {
    const { status, body } = await this.indexed.get<Listed>(url);
    assert.equal(status, 200, url);
    return body;
  }

  sceneOf(entry: Entry): ScenePool {
    const address = String(entry.poolId ?? entry.pair).toLowerCase();
    const found = this.driver.scene.pools.find((pool) => pool.address === address);
    assert.ok(found, address);
    return found;
  }

  /** Each entry with the pool that it is of. */
  eachPool(check: (entry: Entry, pool: ScenePool) => void): void {
    assert.equal(this.pools.length, this.driver.scene.pools.length);
    for (const entry of this.pools) check(entry, this.sceneOf(entry));
  }
}
