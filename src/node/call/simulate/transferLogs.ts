import type { Address } from "@ethereumjs/util";
import { setLengthLeft } from "@ethereumjs/util";
import type { Bytes } from "../../../chain/bytes.ts";
import { fromHex } from "../../../chain/hex.ts";
import type { Log } from "../../../chain/receipt.ts";
import { uintFromBigInt } from "../../../chain/uint.ts";
import type { EmittedLog, Frame, FrameEnd, Tracer } from "../trace/tracer.ts";

/** Transfer(address,address,uint256) of an address that stands for money itself (ERC-7528). */
const TRANSFER = fromHex("0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");
const MONEY = fromHex("0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");

interface Noted {
  readonly address: Bytes;
  topics: Bytes;
  readonly data: Bytes;
}

/** Collects the logs of calls, and where it is asked for one for each transfer of money, but for what failed. */
export class TransferLogs implements Tracer {
  readonly #tracesTransfers: boolean;
  #open: Noted[][] = [];
  #kept: Noted[] = [];

  constructor(tracesTransfers: boolean) {
    this.#tracesTransfers = tracesTransfers;
  }

  enter({ type, from, to, value = 0n }: Frame): void {
    const logs: Noted[] = [];
    this.#open.push(logs);
    if (!this.#tracesTransfers || value === 0n || type === "DELEGATECALL" || type === "CALLCODE") return;
    logs.push({ address: MONEY, topics: transferTopics(from, to), data: setLengthLeft(uintFromBigInt(value), 32) });
  }

  exit({ type, from, to, value = 0n }: Frame, { error, createdAddress }: FrameEnd): void {
    const logs = this.#open.pop()!;
    if (error !== undefined) return;
    const isCreation = type === "CREATE" || type === "CREATE2";
    if (isCreation && this.#tracesTransfers && value > 0n) logs[0]!.topics = transferTopics(from, createdAddress ?? to);
    (this.#open.at(-1) ?? this.#kept).push(...logs);
  }

  log({ address, topics, data }: EmittedLog): void {
    this.#open.at(-1)!.push({ address: address.bytes, topics: Buffer.concat(topics), data });
  }

  result(): unknown {
    return this.#kept;
  }

  /** The logs of the call that has just run; the first of them has this index. */
  take(first: number): Log[] {
    const logs = this.#kept.map((log, index) => ({ ...log, logIndex: first + index }));
    this.#open = [];
    this.#kept = [];
    return logs;
  }
}

function transferTopics(from: Address, to: Address | undefined): Bytes {
  const recipient = to?.bytes ?? new Uint8Array(20);
  return Buffer.concat([TRANSFER, setLengthLeft(from.bytes, 32), setLengthLeft(recipient, 32)]);
}
