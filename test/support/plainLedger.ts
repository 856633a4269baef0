import type { PlainChain } from "./plainChain.ts";

/** Sums of a token's transfers, recomputed directly from the JSON of receipts. */
export interface PlainToken {
  readonly balances: Map<string, bigint>;
  readonly itemBalances: Map<string, bigint>;
  readonly kinds: Set<string>;
  supply: bigint;
  transfers: number;
}

/** Tokens that changed hands by one log, and where the log stands. */
export interface PlainTransfer extends Move {
  readonly token: string;
  readonly block: number;
  readonly transaction: string;
  readonly logIndex: number;
}

const TOPIC = {
  transfer: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
  single: "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62",
  batch: "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb",
  deposit: "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c",
  withdrawal: "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65",
};

const ZERO = "0x0000000000000000000000000000000000000000";

interface PlainLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly logIndex: string;
}

interface Move {
  readonly kind: "ERC-20" | "ERC-721" | "ERC-1155";
  readonly from: string;
  readonly to: string;
  readonly id?: bigint;
  readonly amount: bigint;
  readonly isWrap?: boolean;
}

/** Deposits of a contract before its first transfer, by address; undefined afterwards, or if there were too many. */
type Deposits = Map<string, bigint> | undefined;

/** Depositors that are counted before the first transfer. */
const MAX_DEPOSITORS = 200;
/** Movements of the coin itself are logged in its name (EIP-7708). */
const SYSTEM = "0xfffffffffffffffffffffffffffffffffffffffe";

export interface PlainHistory {
  /** From the first block to the head, oldest first. */
  readonly transfers: PlainTransfer[];
  /** Initial balances, deposited before the first transfer. */
  readonly carried: { readonly token: string; readonly holder: string; readonly amount: bigint }[];
  /** The contracts that took deposits and emitted no transfer. */
  readonly deposits: ReadonlyMap<string, Deposits>;
}

/** Adds up the chain from its first block to its head: an oracle that shares no code with the index. */
export function plainLedger(chain: PlainChain): Map<string, PlainToken> {
  const tokens = new Map<string, PlainToken>();
  const { carried, transfers } = plainHistory(chain);
  for (const { token, holder, amount } of carried) {
    const plain = tokens.get(token) ?? newToken();
    tokens.set(token, plain);
    plain.balances.set(holder, amount);
    plain.supply += amount;
  }
  for (const transfer of transfers) apply(tokens, transfer.token, transfer);
  return tokens;
}

/** Every transfer from the first block to the head, oldest first. */
export function plainTransfers(chain: PlainChain): PlainTransfer[] {
  return plainHistory(chain).transfers;
}

export function plainHistory(chain: PlainChain): PlainHistory {
  const history = { transfers: [] as PlainTransfer[], carried: [] as PlainHistory["carried"][number][] };
  const deposits = new Map<string, Deposits>();
  const tokens = new Map<string, { moves: boolean; mints: boolean }>();
  for (let block = 0; block < chain.length; block++) {
    for (const receipt of chain.at(block)!.receipts) {
      const transaction = receipt.transactionHash as string;
      const reported = (receipt.logs as unknown as PlainLog[]).flatMap((log) => {
        const place = { token: log.address, block, transaction, logIndex: Number(log.logIndex) };
        return log.address === SYSTEM ? [] : movesOf(log).map((move) => ({ ...move, ...place }));
      });
      settle(withoutRepeated(reported), tokens, deposits, history);
    }
  }
  return { ...history, deposits };
}

function withoutRepeated(reported: readonly PlainTransfer[]): PlainTransfer[] {
  const text = ({ token, from, to, amount }: PlainTransfer) => `${token} ${from} ${to} ${amount}`;
  const repeats = reported.filter(({ kind, isWrap }) => kind === "ERC-20" && !isWrap).map(text);
  return reported.filter((one) => {
    const at = one.isWrap ? repeats.indexOf(text(one)) : -1;
    if (at >= 0) repeats.splice(at, 1);
    return at < 0;
  });
}

/** Enters the transfers of one transaction. */
function settle(
  reported: readonly PlainTransfer[],
  tokens: Map<string, { moves: boolean; mints: boolean }>,
  deposits: Map<string, Deposits>,
  history: Pick<PlainHistory, "transfers" | "carried">,
): void {
  for (const token of new Set(reported.map((one) => one.token))) {
    const own = reported.filter((one) => one.token === token && !one.isWrap);
    if (own.length === 0) continue;
    const before = tokens.get(token);
    const moves = own.some(({ kind }) => kind === "ERC-20");
    const mints = own.some(({ kind, from, amount }) => kind === "ERC-20" && from === ZERO && amount > 0n);
    const earlier = before === undefined && moves && !mints ? deposits.get(token) : undefined;
    for (const [holder, amount] of earlier ?? []) history.carried.push({ token, holder, amount });
    deposits.delete(token);
    tokens.set(token, { moves: moves || before?.moves === true, mints: mints || before?.mints === true });
  }
  for (const transfer of reported) {
    const token = tokens.get(transfer.token);
    if (!transfer.isWrap || (token?.moves && !token.mints)) history.transfers.push(transfer);
    else if (token === undefined) deposit(deposits, transfer);
  }
}

function deposit(deposits: Map<string, Deposits>, { token, from, to, amount }: PlainTransfer): void {
  if (!deposits.has(token)) deposits.set(token, new Map());
  const balances = deposits.get(token);
  if (balances === undefined || from === to) return;
  const party = from === ZERO ? to : from;
  const balance = (balances.get(party) ?? 0n) + (from === ZERO ? amount : -amount);
  if (balance === 0n) balances.delete(party);
  else balances.set(party, balance);
  if (balances.size > MAX_DEPOSITORS) deposits.set(token, undefined);
}

function movesOf(log: PlainLog): Move[] {
  const [topic, ...rest] = log.topics;
  const words = log.data.length % 64 === 2 ? (log.data.slice(2).match(/.{64}/g) ?? []) : undefined;
  const areAddresses = rest.every((word) => /^0x0{24}/.test(word));
  const address = (at: number) => `0x${rest[at]!.slice(26)}`;
  const number = (word: string) => BigInt(`0x${word}`);
  if (topic === TOPIC.transfer && rest.length === 2 && areAddresses && words?.length === 1) {
    return [{ kind: "ERC-20", from: address(0), to: address(1), amount: number(words[0]!) }];
  }
  const arePartiesAddresses = rest.slice(0, 2).every((word) => /^0x0{24}/.test(word));
  if (topic === TOPIC.transfer && rest.length === 3 && arePartiesAddresses && log.data === "0x") {
    return [{ kind: "ERC-721", from: address(0), to: address(1), id: BigInt(rest[2]!), amount: 1n }];
  }
  if (topic === TOPIC.single && rest.length === 3 && areAddresses && words?.length === 2) {
    return [{ kind: "ERC-1155", from: address(1), to: address(2), id: number(words[0]!), amount: number(words[1]!) }];
  }
  if (topic === TOPIC.batch && rest.length === 3 && areAddresses && words !== undefined) {
    const count = Number(number(words[2]!));
    const ids = words.slice(3, 3 + count);
    return ids.map((id, i) => ({
      kind: "ERC-1155",
      from: address(1),
      to: address(2),
      id: number(id),
      amount: number(words[4 + count + i]!),
    }));
  }
  if ((topic !== TOPIC.deposit && topic !== TOPIC.withdrawal) || rest.length !== 1) return [];
  if (!areAddresses || words?.length !== 1) return [];
  const parties = topic === TOPIC.deposit ? { from: ZERO, to: address(0) } : { from: address(0), to: ZERO };
  return [{ kind: "ERC-20", ...parties, amount: number(words[0]!), isWrap: true }];
}

function apply(tokens: Map<string, PlainToken>, address: string, { kind, from, to, id, amount }: Move): void {
  const token = tokens.get(address) ?? newToken();
  tokens.set(address, token);
  token.transfers++;
  token.kinds.add(kind);
  if (from === ZERO) token.supply += amount;
  if (to === ZERO) token.supply -= amount;
  for (const [party, change] of [
    [from, -amount],
    [to, amount],
  ] as const) {
    if (party === ZERO) continue;
    token.balances.set(party, (token.balances.get(party) ?? 0n) + change);
    if (id === undefined) continue;
    const item = `${id}/${party}`;
    token.itemBalances.set(item, (token.itemBalances.get(item) ?? 0n) + change);
  }
}

function newToken(): PlainToken {
  return { balances: new Map(), itemBalances: new Map(), kinds: new Set(), supply: 0n, transfers: 0 };
}
