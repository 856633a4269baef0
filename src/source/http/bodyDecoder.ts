import type { BrotliDecompress, Gunzip } from "node:zlib";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import { HttpError } from "./httpHead.ts";

const DECODE_CHUNK_BYTES = 64 << 10;

/** Encoded bytes to buffer before reading pauses. */
const MAX_PENDING = 1 << 20;

/** Smaller copies come from a shared pool. */
const OWN_MEMORY = 4096;

const DECODERS: Readonly<Record<string, () => Gunzip | BrotliDecompress>> = {
  gzip: () => createGunzip({ chunkSize: DECODE_CHUNK_BYTES }),
  "x-gzip": () => createGunzip({ chunkSize: DECODE_CHUNK_BYTES }),
  br: () => createBrotliDecompress({ chunkSize: DECODE_CHUNK_BYTES }),
};

export const ENCODINGS = "gzip, br";

interface DecoderOwner {
  onDecoded(bytes: Buffer): void;
  onEnd(error?: HttpError): void;
  onDrain(): void;
}

/** Decompresses a body as it arrives, on the zlib threads. */
export class BodyDecoder {
  readonly #stream: Gunzip | BrotliDecompress;
  readonly #owner: DecoderOwner;
  #received = 0;
  #isOver = false;
  /** The last output buffer, which the next output may share. */
  #decoded: ArrayBuffer | undefined;

  /** Throws for an unknown encoding. */
  constructor(encoding: string, owner: DecoderOwner) {
    const open = DECODERS[encoding.toLowerCase()];
    if (open === undefined) throw new HttpError("encoded", "an encoded body");
    this.#owner = owner;
    this.#stream = open();
    this.#stream.on("data", (bytes: Buffer) => this.#take(bytes));
    // Also ends at trailing garbage.
    this.#stream.once("end", () =>
      this.#finish(this.#stream.bytesWritten < this.#received ? undecodable() : undefined),
    );
    this.#stream.on("error", () => this.#finish(undecodable()));
    this.#stream.on("drain", () => owner.onDrain());
  }

  /** Whether input arrives faster than it is decoded. */
  get isBehind(): boolean {
    return !this.#isOver && this.#stream.writableLength > MAX_PENDING;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  write(bytes: Buffer): void {
    this.#received += bytes.length;
    if (this.#isOver) return;
    if (bytes.length < OWN_MEMORY) {
      this.#stream.write(Buffer.from(bytes));
      return;
    }
    const copy = Buffer.allocUnsafeSlow(bytes.length);
    bytes.copy(copy);
    this.#stream.write(copy, () => free(copy.buffer));
  }

  end(): void {
    if (!this.#isOver) this.#stream.end();
  }

  stop(): void {
    this.#isOver = true;
    this.#stream.destroy();
  }

  #take(bytes: Buffer): void {
    if (this.#isOver) return;
    if (this.#decoded !== bytes.buffer && this.#decoded?.byteLength === DECODE_CHUNK_BYTES) free(this.#decoded);
    this.#decoded = bytes.buffer as ArrayBuffer;
    try {
      this.#owner.onDecoded(bytes);
    } catch (error) {
      this.#finish(error as HttpError);
    }
  }

  #finish(error?: HttpError): void {
    if (this.#isOver) return;
    this.stop();
    this.#owner.onEnd(error);
  }
}

/** Frees at once; a decompression bomb would otherwise count until the next collection. */
function free(memory: ArrayBuffer): void {
  memory.transfer(0);
}

function undecodable(): HttpError {
  return new HttpError("undecodable", "a body that cannot be decoded");
}
