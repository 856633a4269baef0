import { BodyBuffer } from "./bodyBuffer.ts";
import { BodyDecoder } from "./bodyDecoder.ts";
import type { AnswerHead } from "./httpHead.ts";
import { HttpError, parseHead, parseHeaderLine } from "./httpHead.ts";

const LF = 0x0a;
/** Bytes of the head, and of all chunk framing. */
const MAX_OVERHEAD = 64 << 10;
const CHUNK_LINE = /^([\da-f]{1,12})[ \t]*(;.*)?$/i;
const START = "HTTP/1.";

type Step = "status" | "header" | "size" | "chunk end" | "trailer" | "counted" | "chunk" | "to the end" | "done";

/** Incremental parser for the responses of a connection. */
export class HttpParser {
  readonly #body = new BodyBuffer();
  readonly #onDecoded: (error?: HttpError) => void;
  readonly #onDrain: () => void;
  #decoder: BodyDecoder | undefined;
  #maxBytes = 0;
  #received = 0;
  #step: Step = "done";
  #line = "";
  #overhead = 0;
  #statusLine = "";
  #headerLines: string[] = [];
  #head: AnswerHead | undefined;
  /** Remaining bytes of the body or chunk. */
  #left = 0;

  /** `onDecoded` fires when an encoded body is complete or fails; `onDrain` when decoding caught up. */
  constructor(onDecoded: (error?: HttpError) => void = () => {}, onDrain: () => void = () => {}) {
    this.#onDecoded = onDecoded;
    this.#onDrain = onDrain;
  }

  get head(): AnswerHead | undefined {
    return this.#head;
  }

  get bytes(): number {
    return this.#body.length;
  }

  get isDone(): boolean {
    return this.#step === "done";
  }

  get isDecoding(): boolean {
    return this.#decoder?.isOver === false;
  }

  get isBehind(): boolean {
    return this.#decoder?.isBehind === true;
  }

  /** Resets for the next response; the limit applies to encoded and decoded size. */
  start(maxBytes: number): void {
    this.stop();
    this.#maxBytes = maxBytes;
    this.#received = 0;
    this.#head = undefined;
    this.#line = "";
    this.#overhead = 0;
    this.#body.start(0);
    this.#expectHead();
  }

  /** Returns how many bytes belong to the response. Throws HttpError. */
  read(chunk: Buffer): number {
    let at = 0;
    while (at < chunk.length && this.#step !== "done") {
      const isBody = this.#step === "counted" || this.#step === "chunk" || this.#step === "to the end";
      at = isBody ? this.#readBody(chunk, at) : this.#readLine(chunk, at);
    }
    return at;
  }

  /** End of connection; ends the response only if the framing is `close`. */
  end(): void {
    if (this.#step === "to the end") this.#finish();
  }

  stop(): void {
    this.#decoder?.stop();
    this.#decoder = undefined;
  }

  takeText(): string {
    return this.#body.takeText();
  }

  takeBytes(): Buffer {
    return this.#body.takeBytes();
  }

  #expectHead(): void {
    this.#step = "status";
    this.#headerLines = [];
  }

  #readBody(chunk: Buffer, at: number): number {
    const isCounted = this.#step !== "to the end";
    const end = isCounted ? Math.min(chunk.length, at + this.#left) : chunk.length;
    this.#allow(end - at);
    this.#received += end - at;
    if (this.#decoder === undefined) this.#body.append(chunk, at, end);
    else this.#decoder.write(chunk.subarray(at, end));
    if (!isCounted) return end;
    this.#left -= end - at;
    if (this.#left > 0) return end;
    if (this.#step === "chunk") this.#step = "chunk end";
    else this.#finish();
    return end;
  }

  #finish(): void {
    this.#step = "done";
    this.#decoder?.end();
  }

  #readLine(chunk: Buffer, at: number): number {
    const lineFeed = chunk.indexOf(LF, at);
    const end = lineFeed === -1 ? chunk.length : lineFeed + 1;
    this.#line += chunk.toString("latin1", at, end);
    if (this.#overhead + this.#line.length > MAX_OVERHEAD) throw new HttpError("malformed", "too long a head");
    if (this.#step === "status" && !startsAlike(this.#line, START)) throw new HttpError("malformed", "no status line");
    if (lineFeed !== -1) this.#endLine();
    return end;
  }

  #endLine(): void {
    if (!this.#line.endsWith("\r\n")) throw new HttpError("malformed", "a line without a carriage return");
    const line = this.#line.slice(0, -2);
    if (this.#step !== "size" && this.#step !== "chunk end") this.#overhead += this.#line.length;
    this.#line = "";
    this.#takeLine(line);
  }

  #takeLine(line: string): void {
    switch (this.#step) {
      case "status":
        this.#statusLine = line;
        this.#step = "header";
        return;
      case "header":
        if (line === "") this.#endHead();
        else this.#headerLines.push(line);
        return;
      case "size":
        this.#startChunk(line);
        return;
      case "chunk end":
        if (line !== "") throw new HttpError("malformed", "a chunk longer than its size");
        this.#step = "size";
        return;
      default:
        if (line === "") this.#finish();
        else parseHeaderLine(line);
    }
  }

  #endHead(): void {
    const head = parseHead(this.#statusLine, this.#headerLines);
    if (head.status === 101) throw new HttpError("malformed", "a switch of protocols");
    this.#expectHead();
    if (head.status < 200) return;
    this.#head = head;
    const encoding = head.headers["content-encoding"] ?? "identity";
    if (encoding.toLowerCase() !== "identity" && head.framing !== 0) this.#decoder = this.#openDecoder(encoding);
    this.#startBody(head);
  }

  #openDecoder(encoding: string): BodyDecoder {
    return new BodyDecoder(encoding, {
      onDecoded: (bytes) => {
        if (this.#body.length + bytes.length > this.#maxBytes) throw new HttpError("too large", "too large a body");
        this.#body.append(bytes, 0, bytes.length);
      },
      onEnd: (error) => this.#onDecoded(error),
      onDrain: this.#onDrain,
    });
  }

  #startBody({ framing }: AnswerHead): void {
    if (typeof framing === "number") {
      this.#allow(framing);
      this.#left = framing;
      if (this.#decoder === undefined) this.#body.start(framing);
      this.#step = framing === 0 ? "done" : "counted";
    } else {
      this.#step = framing === "chunked" ? "size" : "to the end";
    }
  }

  #startChunk(line: string): void {
    const [, digits, extensions = ""] = CHUNK_LINE.exec(line) ?? [];
    if (digits === undefined) throw new HttpError("malformed", "a bad chunk size");
    this.#overhead += extensions.length;
    this.#left = Number.parseInt(digits, 16);
    this.#allow(this.#left);
    this.#step = this.#left === 0 ? "trailer" : "chunk";
  }

  #allow(more: number): void {
    if (this.#received + more > this.#maxBytes) throw new HttpError("too large", "too large a body");
  }
}

function startsAlike(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length);
  return a.slice(0, length) === b.slice(0, length);
}
