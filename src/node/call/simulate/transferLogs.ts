import type { Address } from "@ethereumjs/util";
import { setLengthLeft } from "@ethereumjs/util";
import type { Log } from "../../../chain/block/receipt.ts";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { fromHex } from "../../../chain/encoding/hex.ts";
import { uintFromBigInt } from "../../../chain/encoding/uint.ts";
import type { Draft } from "../../../chain/encoding/wire.ts";
import { defined, itemAt } from "../../../std/values.ts";
import type { EmittedLog, Frame, FrameEnd, Tracer } from "../trace/tracer.ts";

/** Transfer(address,address,uint256) from the ERC-7528 pseudo-address. */
const TRANSFER = fromHex("0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");
const MONEY = fromHex("0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");

type Noted = Draft<Log>;

/**
 * Collects the logs of a block and, if requested, ether transfers. Logs of reverted calls are dropped but keep their
 * index, as in geth.
 */
export class TransferLogs implements Tracer {
  readonly #tracesTransfers: boolean;
  #open: Noted[][] = [];
  #kept: Noted[] = [];
  #count = 0;

  constructor(tracesTransfers: boolean) {
    this.#tracesTransfers = tracesTransfers;
  }

  enter({ type, from, to, value = 0n }: Frame): void {
    this.#open.push([]);
    if (!this.#tracesTransfers || value === 0n || type === "DELEGATECALL" || type === "CALLCODE") return;
    this.#note(MONEY, transferTopics(from, to), setLengthLeft(uintFromBigInt(value), 32));
  }

  exit({ type, from, to, value = 0n }: Frame, { error, createdAddress }: FrameEnd): void {
    const logs = defined(this.#open.pop());
    if (error !== undefined) return;
    const isCreation = type === "CREATE" || type === "CREATE2";
    if (isCreation && this.#tracesTransfers && value > 0n)
      itemAt(logs, 0).topics = transferTopics(from, createdAddress ?? to);
    (this.#open.at(-1) ?? this.#kept).push(...logs);
  }

  log({ address, topics, data }: EmittedLog): void {
    this.#note(address.bytes, Buffer.concat(topics), data);
  }

  result(): unknown {
    return this.#kept;
  }

  take(): Log[] {
    const logs = this.#kept;
    this.#open = [];
    this.#kept = [];
    return logs;
  }

  #note(address: Bytes, topics: Bytes, data: Bytes): void {
    defined(this.#open.at(-1)).push({ address, topics, data, logIndex: this.#count++ });
  }
}

function transferTopics(from: Address, to: Address | undefined): Bytes {
  const recipient = to?.bytes ?? new Uint8Array(20);
  return Buffer.concat([TRANSFER, setLengthLeft(from.bytes, 32), setLengthLeft(recipient, 32)]);
}
