import { RPC, RpcError } from "../../../../jsonrpc/rpcError.ts";

/** Of the JSON of a dump. */
export const MAX_STATE_BYTES = 16 << 20;

export class TooLarge extends RpcError {
  constructor() {
    super(RPC.responseTooLarge, `the state has over ${MAX_STATE_BYTES} bytes of JSON`);
  }
}

/** Builds JSON as text, since some integers exceed 2^53, and enforces the size limit. */
export class JsonText {
  readonly #parts: string[] = [];
  #length: number;

  /** `used` bytes count towards the limit. */
  constructor(used = 0) {
    this.#length = used;
  }

  get length(): number {
    return this.#length;
  }

  add(text: string): void {
    this.#length += text.length;
    if (this.#length > MAX_STATE_BYTES) throw new TooLarge();
    this.#parts.push(text);
  }

  /** A comma, unless it is the first. */
  separate(isFirst: boolean): void {
    if (!isFirst) this.add(",");
  }

  toString(): string {
    return this.#parts.join("");
  }
}
