import type { PlainChain } from "./plainChain.ts";

/** What a token's transfers add up to, computed the plainest way from the JSON of receipts. */
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
}

/** Adds up the chain from its first block to its head: an oracle that shares no code with the index. */
export function plainLedger(chain: PlainChain): Map<string, PlainToken> {
  const tokens = new Map<string, PlainToken>();
  for (const transfer of plainTransfers(chain)) apply(tokens, transfer.token, transfer);
  return tokens;
}

/** Every transfer from the first block to the head, oldest first. */
export function plainTransfers(chain: PlainChain): PlainTransfer[] {
  const transfers: PlainTransfer[] = [];
  for (let block = 0; block < chain.length; block++) {
    for (const receipt of chain.at(block)!.receipts) {
      const logs = receipt.logs as unknown as PlainLog[];
      const transaction = receipt.transactionHash as string;
      for (const [at, log] of logs.entries()) {
        const place = { token: log.address, block, transaction, logIndex: Number(log.logIndex) };
        for (const move of movesOf(log, logs[at - 1], logs[at + 1])) transfers.push({ ...move, ...place });
      }
    }
  }
  return transfers;
}

function movesOf(log: PlainLog, before: PlainLog | undefined, after: PlainLog | undefined): Move[] {
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
  const move: Move = { kind: "ERC-20", ...parties, amount: number(words[0]!) };
  return [before, after].some((beside) => isSame(log, move, beside)) ? [] : [move];
}

function isSame(log: PlainLog, move: Move, beside: PlainLog | undefined): boolean {
  if (beside === undefined || beside.address !== log.address || beside.topics[0] !== TOPIC.transfer) return false;
  const [other] = beside.topics.length === 3 ? movesOf(beside, undefined, undefined) : [];
  return other !== undefined && other.from === move.from && other.to === move.to && other.amount === move.amount;
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
