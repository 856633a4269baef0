import type { SharedBytes } from "../std/bytes.ts";

/** One string, or parts in order if some are already bytes. */
export type ResponseBody = string | ResponseParts;

export class ResponseParts {
  readonly parts: readonly (string | SharedBytes)[];

  constructor(parts: readonly (string | SharedBytes)[]) {
    this.parts = parts;
  }

  get byteLength(): number {
    return this.parts.reduce((sum, part) => sum + Buffer.byteLength(contentOf(part)), 0);
  }

  get contents(): (string | Buffer)[] {
    return this.parts.map(contentOf);
  }

  /** Call when the body is no longer read. */
  release(): void {
    for (const part of this.parts) if (typeof part !== "string") part.release();
  }
}

const contentOf = (part: string | SharedBytes) => (typeof part === "string" ? part : part.bytes);

export function lengthOf(body: ResponseBody): number {
  return typeof body === "string" ? body.length : body.byteLength;
}

export function textOf(body: ResponseBody): string {
  return typeof body === "string" ? body : body.contents.map(String).join("");
}

export function listOf(bodies: readonly ResponseBody[]): ResponseBody {
  if (bodies.every((body) => typeof body === "string")) return `[${bodies.join(",")}]`;
  const parts = bodies.map((body) => (typeof body === "string" ? [body] : body.parts));
  return new ResponseParts(["[", ...parts.flatMap((own, at) => (at === 0 ? own : [",", ...own])), "]"]);
}
