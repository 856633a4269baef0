export type AnswerHeaders = Readonly<Record<string, string | undefined>>;

/** Body framing: content-length, chunked, or until close. */
type Framing = number | "chunked" | "close";

export interface AnswerHead {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly framing: Framing;
  /** Keep-alive timeout that the server announced. */
  readonly idleMs: number;
}

type HttpFault = "malformed" | "encoded" | "undecodable" | "too large";

/** The message is ours and quotes nothing that was received. */
export class HttpError extends Error {
  readonly fault: HttpFault;

  constructor(fault: HttpFault, message: string) {
    super(message);
    this.name = "HttpError";
    this.fault = fault;
  }
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: .*)?$/;
export const HEADER_NAME = /^[!#$%&'*+\-.^_`|~\w]+$/;
/** Headers that combine; for any other duplicate the first wins. */
const LISTS = new Set(["connection", "content-encoding", "content-length", "transfer-encoding"]);
/** Margin before the server's idle timeout, so that no request races with it. */
const IDLE_MARGIN_MS = 1000;
const MAX_IDLE_MS = 86_400_000;

/** Header lines without line ends. */
export function parseHead(statusLine: string, lines: readonly string[]): AnswerHead {
  const [, minor, digits] = STATUS_LINE.exec(statusLine) ?? [];
  if (digits === undefined) throw new HttpError("malformed", "no status line");
  const status = Number(digits);
  const headers = parseHeaders(lines);
  const framing = hasBody(status) ? framingOf(headers) : 0;
  const isKept = minor === "1" && framing !== "close" && !listOf(headers.connection).includes("close");
  return { status, headers, framing, idleMs: isKept ? idleTime(headers["keep-alive"]) : 0 };
}

export function parseHeaderLine(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(0, colon));
  if (!HEADER_NAME.test(name) || /[\0\r]/.test(line)) throw new HttpError("malformed", "a bad header line");
  return [name.toLowerCase(), line.slice(colon + 1).trim()];
}

function parseHeaders(lines: readonly string[]): AnswerHeaders {
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    const [name, value] = parseHeaderLine(line);
    const earlier = headers[name];
    if (earlier === undefined) headers[name] = value;
    else if (LISTS.has(name)) headers[name] = `${earlier},${value}`;
  }
  return headers;
}

function hasBody(status: number): boolean {
  return status >= 200 && status !== 204 && status !== 304;
}

function framingOf(headers: AnswerHeaders): Framing {
  const { "content-length": length, "transfer-encoding": coding } = headers;
  if (coding !== undefined) {
    if (length !== undefined) throw new HttpError("malformed", "both a content-length and a transfer-encoding");
    if (coding.toLowerCase() !== "chunked") throw new HttpError("malformed", "an unknown transfer-encoding");
    return "chunked";
  }
  return length === undefined ? "close" : parseLength(length);
}

function parseLength(text: string): number {
  const lengths = new Set(text.split(",").map((part) => part.trim()));
  const [length] = lengths;
  if (lengths.size !== 1 || !/^\d{1,15}$/.test(length!)) throw new HttpError("malformed", "a bad content-length");
  return Number(length);
}

function listOf(value = ""): string[] {
  return value.split(",").map((part) => part.trim().toLowerCase());
}

function idleTime(hint = ""): number {
  const [, seconds] = /(?:^|[ ,;])timeout=(\d+)/i.exec(hint) ?? [];
  if (seconds === undefined) return MAX_IDLE_MS;
  return Math.min(MAX_IDLE_MS, Math.max(0, Number(seconds) * 1000 - IDLE_MARGIN_MS));
}
