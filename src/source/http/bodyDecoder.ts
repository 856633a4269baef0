import type { BrotliDecompress, Gunzip } from "node:zlib";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import { HttpError } from "./httpHead.ts";

/** How many bytes are decoded before they are counted. */
const DECODE_CHUNK_BYTES = 64 << 10;

/** Encoded bytes that may wait to be decoded before no more are read. */
const MAX_PENDING = 1 << 20;

/** Smaller copies share memory with others. */
const OWN_MEMORY = 4096;

const DECODERS: Readonly<Record<string, () => Gunzip | BrotliDecompress>> = {
  gzip: () => createGunzip({ chunkSize: DECODE_CHUNK_BYTES }),
  "x-gzip": () => createGunzip({ chunkSize: DECODE_CHUNK_BYTES }),
  br: () => createBrotliDecompress({ chunkSize: DECODE_CHUNK_BYTES }),
};

/** The encodings that are asked for. */
export const ENCODINGS = "gzip, br";

interface DecoderOwner {
  /** Takes what was decoded; throws where it is too much. */
  onDecoded(bytes: Buffer): void;
  /** All is decoded, or it cannot be; called once. */
  onEnd(error?: HttpError): void;
  /** It has caught up after it was behind. */
  onDrain(): void;
}

/** Decodes a body while it comes in, in the threads of zlib. */
export class BodyDecoder {
  readonly #stream: Gunzip | BrotliDecompress;
  readonly #owner: DecoderOwner;
  #received = 0;
  #isOver = false;
  /** What was decoded last, which its next piece may share. */
  #decoded: ArrayBuffer | undefined;

  /** Throws for an encoding that is not known. */
  constructor(encoding: string, owner: DecoderOwner) {
    const open = DECODERS[encoding.toLowerCase()];
    if (open === undefined) throw new HttpError("encoded", "an encoded body");
    this.#owner = owner;
    this.#stream = open();
    this.#stream.on("data", (bytes: Buffer) => this.#take(bytes));
    // It also ends where something follows that is no part of what was encoded.
    this.#stream.once("end", () =>
      this.#finish(this.#stream.bytesWritten < this.#received ? undecodable() : undefined),
    );
    this.#stream.on("error", () => this.#finish(undecodable()));
    this.#stream.on("drain", () => owner.onDrain());
  }

  /** Whether more comes in than is decoded. */
  get isBehind(): boolean {
    return !this.#isOver && this.#stream.writableLength > MAX_PENDING;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Keeps a copy of the bytes until it is their turn. */
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

  /** Stops, and tells nobody. */
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

/** At once: until the next collection it would count as much as what is in use, which for a bomb is all of it. */
function free(memory: ArrayBuffer): void {
  memory.transfer(0);
}

function undecodable(): HttpError {
  return new HttpError("undecodable", "a body that cannot be decoded");
}
