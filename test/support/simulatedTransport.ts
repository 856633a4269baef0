import type { ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "./random.ts";
import type { FaultSettings, TransportFault } from "./simulatedFaults.ts";

type Answer = object;

const LIMIT_ERROR = { code: -32005, message: "daily request count exceeded, request rate limited" };

/** The faults that are still JSON: what becomes of the list of answers. */
export function corruptAnswers(fault: TransportFault, answers: readonly Answer[], random: Random): Answer | Answer[] {
  switch (fault) {
    case "itemErrors": {
      const failed = random.int(answers.length);
      return answers.map((answer, at) => (at === failed || random.chance(0.3) ? failure(answer) : answer));
    }
    case "batchError":
      return { jsonrpc: "2.0", id: null, error: LIMIT_ERROR };
    case "reordered":
      return answers.length < 2 ? [...answers] : [...answers.slice(1), answers[0]!];
    case "short":
      return random.shuffle(answers).slice(1);
    case "duplicatedIds":
      return answers.map((answer) => ({ ...answer, id: idOf(answers[0]!) }));
    case "wrongIds":
      return answers.map((answer) => ({ ...answer, id: `${idOf(answer)}0` }));
    default:
      return [...answers];
  }
}

function failure(answer: Answer): Answer {
  return { jsonrpc: "2.0", id: idOf(answer), error: LIMIT_ERROR };
}

function idOf(answer: Answer): unknown {
  return (answer as { id: unknown }).id;
}

export async function sendSpoiled(
  response: ServerResponse,
  body: string,
  fault: TransportFault | undefined,
  settings: FaultSettings,
): Promise<void> {
  switch (fault) {
    case "tooManyRequests":
      return send(response, 429, "Too Many Requests", { "retry-after": String(settings.retryAfterSeconds ?? 1) });
    case "unavailable":
      return send(response, 503, "Service Unavailable");
    case "html":
      return send(response, 200, "<html><body>Welcome to nginx!</body></html>", HTML);
    case "tooManyRequestsHtml":
      return send(response, 200, "<html><body><h1>429 Too Many Requests</h1></body></html>", HTML);
    case "truncated":
      return send(response, 200, body.slice(0, body.length >> 1), JSON_TYPE);
    case "reset":
      return reset(response, body);
    case "hang":
      return;
    case "drip":
      return drip(response, body, settings.delayMs ?? 50);
    case "huge":
      return pad(response, body, settings.hugeBytes ?? 256 * 1024 * 1024);
    case "delay":
      await sleep(settings.delayMs ?? 200);
      return send(response, 200, body, JSON_TYPE);
    default:
      return send(response, 200, body, JSON_TYPE);
  }
}

const HTML = { "content-type": "text/html" };
const JSON_TYPE = { "content-type": "application/json" };

function send(response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-length": Buffer.byteLength(body), ...headers }).end(body);
}

async function reset(response: ServerResponse, body: string): Promise<void> {
  response.writeHead(200, { ...JSON_TYPE, "content-length": Buffer.byteLength(body) });
  await new Promise((resolve) => response.write(body.slice(0, body.length >> 1), resolve));
  response.socket?.resetAndDestroy();
}

async function drip(response: ServerResponse, body: string, delayMs: number): Promise<void> {
  response.writeHead(200, JSON_TYPE);
  for (const byte of body) {
    if (response.destroyed) return;
    response.write(byte);
    await sleep(delayMs);
  }
  response.end();
}

async function pad(response: ServerResponse, body: string, bytes: number): Promise<void> {
  response.writeHead(200, JSON_TYPE);
  // A client that has had enough closes the connection, which is what the fault is for.
  await pipeline(padded(body, bytes), response).catch(() => {});
}

function* padded(body: string, bytes: number): Generator<string> {
  const padding = " ".repeat(1 << 16);
  for (let sent = 0; sent < bytes; sent += padding.length) yield padding;
  yield body;
}
