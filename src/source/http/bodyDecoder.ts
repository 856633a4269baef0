import type { BrotliDecompress, Gunzip } from "node:zlib";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import { HttpError } from "./httpHead.ts";

/** How many bytes are decoded before they are counted. */
const DECODED_AT_ONCE = 64 << 10;

const DECODERS: Readonly<Record<string, () => Gunzip | BrotliDecompress>> = {
  gzip: () => createGunzip({ chunkSize: DECODED_AT_ONCE }),
  "x-gzip": () => createGunzip({ chunkSize: DECODED_AT_ONCE }),
  br: () => createBrotliDecompress({ chunkSize: DECODED_AT_ONCE }),
};

/** The encodings that are asked for. */
export const ENCODINGS = "gzip, br";

interface DecoderOwner {
  /** Takes what was decoded; throws where it is too much. */
  onDecoded(bytes: Buffer): void;
  /** All is decoded, or it cannot be; called once. */
  onEnd(error?: HttpError): void;
}

/** Decodes a body while it comes in, in the threads of zlib. */
export class BodyDecoder {
  readonly #stream: Gunzip | BrotliDecompress;
  readonly #owner: DecoderOwner;
  #received = 0;
  #isOver = false;

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
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Keeps a copy of the bytes until it is their turn. */
  write(bytes: Buffer): void {
    this.#received += bytes.length;
    if (!this.#isOver) this.#stream.write(Buffer.from(bytes));
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

function undecodable(): HttpError {
  return new HttpError("undecodable", "a body that cannot be decoded");
}
