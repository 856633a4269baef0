import assert from "node:assert/strict";
import type { ActionOracle, Role, Row, TransferKind } from "./actionOracle.ts";
import type { Random } from "./random.ts";

type Parameters = Readonly<Record<string, string | number>>;

/** Answers `result` of an action. */
export type Act = (action: string, parameters: Parameters) => Promise<unknown>;

export interface HistoryComparison {
  readonly act: Act;
  readonly oracle: ActionOracle;
  readonly random: Random;
  readonly label: string;
}

const ACTIONS: readonly (readonly [string, TransferKind])[] = [
  ["tokentx", "ERC-20"],
  ["tokennfttx", "ERC-721"],
  ["token1155tx", "ERC-1155"],
];

/** Compares the transactions, transfers and balances of every address; answers how many rows of each there were. */
export async function expectHistories(of: HistoryComparison): Promise<Record<string, number>> {
  const comparer = new HistoryComparer(of);
  const { oracle } = of;
  for (const address of oracle.addresses) {
    for (const role of ["any", "from", "to"] as const) await comparer.transactions(address, role);
    for (const [action, kind] of ACTIONS) {
      await comparer.list(action, { address }, oracle.transfers({ address }, kind));
    }
    await comparer.list("getminedblocks", { address }, oracle.mined(address));
  }
  for (const token of oracle.tokens.keys()) await comparer.token(token);
  await comparer.balances();
  return comparer.counts;
}

class HistoryComparer {
  readonly counts: Record<string, number> = {};
  readonly #of: HistoryComparison;

  constructor(of: HistoryComparison) {
    this.#of = of;
  }

  async transactions(address: string, role: Role): Promise<void> {
    const rows = this.#of.oracle.transactions(address, role);
    await this.list("txlist", role === "any" ? { address } : { address, filter_by: role }, rows);
  }

  /** All rows in either order, and a page of those of some blocks in either order. */
  async list(action: string, parameters: Parameters, rows: readonly Row[]): Promise<void> {
    const { random, oracle } = this.#of;
    await this.#expect(action, parameters, rows.toReversed());
    await this.#expect(action, { ...parameters, sort: "asc" }, rows);
    this.counts[action] = (this.counts[action] ?? 0) + rows.length;
    if (rows.length === 0) return;
    const bound = () => (random.chance(0.6) ? Number(random.pick(rows).blockNumber) : random.int(oracle.height + 3));
    const [a, b] = [bound(), bound()];
    const [startblock, endblock] = [Math.min(a, b), Math.max(a, b)];
    const within = rows.filter(
      ({ blockNumber }) => Number(blockNumber) >= startblock && Number(blockNumber) <= endblock,
    );
    for (const sort of ["asc", "desc"]) {
      const offset = 1 + random.int(Math.max(within.length, 1));
      const page = 1 + random.int(Math.ceil(within.length / offset) + 1);
      const ordered = sort === "asc" ? within : within.toReversed();
      const expected = ordered.slice((page - 1) * offset, page * offset);
      await this.#expect(action, { ...parameters, startblock, endblock, sort, page, offset }, expected);
    }
  }

  async #expect(action: string, parameters: Parameters, expected: readonly Row[]): Promise<void> {
    const rows = (await this.#of.act(action, parameters)) as Row[];
    const name = `${this.#of.label}: ${action} ${JSON.stringify(parameters)}`;
    assert.deepEqual(rows.map(withoutComputed), expected, name);
  }

  /** Its transfers, those of everybody who had it, and what they have. */
  async token(token: string): Promise<void> {
    const { oracle } = this.#of;
    for (const [action, kind] of ACTIONS) {
      await this.list(action, { contractaddress: token }, oracle.transfers({ token }, kind));
    }
    for (const address of [...oracle.holders(token), ZERO, this.#of.random.pick(oracle.addresses)]) {
      for (const [action, kind] of ACTIONS) {
        const rows = oracle.transfers({ address, token }, kind);
        await this.#expect(action, { contractaddress: token, address, sort: "asc" }, rows);
      }
      if (address !== ZERO) await this.#tokenBalance(token, address);
    }
  }

  async #tokenBalance(token: string, address: string): Promise<void> {
    const { act, oracle, label } = this.#of;
    const amount = await act("tokenbalance", { contractaddress: token, address });
    assert.equal(amount, String(await oracle.tokenBalance(token, address)), `${label}: ${address} of ${token}`);
    this.counts.tokenbalance = (this.counts.tokenbalance ?? 0) + 1;
  }

  async balances(): Promise<void> {
    const { act, oracle, label } = this.#of;
    for (let at = 0; at < oracle.addresses.length; at += 20) {
      const some = oracle.addresses.slice(at, at + 20);
      const balances = await Promise.all(some.map((address) => oracle.state.balance(address)));
      const expected = some.map((account, index) => ({ account, balance: String(balances[index]) }));
      assert.deepEqual(await act("balancemulti", { address: some.join() }), expected, label);
      for (const { account, balance } of expected) {
        assert.equal(await act("balance", { address: account }), balance, `${label}: ${account}`);
      }
    }
    this.counts.balance = oracle.addresses.length;
  }
}

const ZERO = `0x${"0".repeat(40)}`;

/** Function names do not come from the chain, and block rewards are compared elsewhere. */
function withoutComputed({ functionName, blockReward, ...row }: Row): Row {
  assert.equal(typeof (functionName ?? blockReward), "string");
  return row;
}
