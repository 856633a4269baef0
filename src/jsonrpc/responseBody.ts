import type { SharedBytes } from "../std/sharedBytes.ts";

/** The body of a response: one text, or its parts in their order where some of it is bytes already. */
export type ResponseBody = string | ResponseParts;

export class ResponseParts {
  readonly parts: readonly (string | SharedBytes)[];

  constructor(parts: readonly (string | SharedBytes)[]) {
    this.parts = parts;
  }

  get byteLength(): number {
    return this.parts.reduce((sum, part) => sum + Buffer.byteLength(contentOf(part)), 0);
  }

  /** What is to be written, one after the other. */
  get contents(): (string | Buffer)[] {
    return this.parts.map(contentOf);
  }

  /** Says that nothing of it is read any more. */
  release(): void {
    for (const part of this.parts) if (typeof part !== "string") part.release();
  }
}

const contentOf = (part: string | SharedBytes) => (typeof part === "string" ? part : part.bytes);

/** As much as a limit needs: a text counts its characters. */
export function lengthOf(body: ResponseBody): number {
  return typeof body === "string" ? body.length : body.byteLength;
}

export function textOf(body: ResponseBody): string {
  return typeof body === "string" ? body : body.contents.map(String).join("");
}

/** Bodies as one JSON list. */
export function listOf(bodies: readonly ResponseBody[]): ResponseBody {
  if (bodies.every((body) => typeof body === "string")) return `[${bodies.join(",")}]`;
  const parts = bodies.map((body) => (typeof body === "string" ? [body] : body.parts));
  return new ResponseParts(["[", ...parts.flatMap((own, at) => (at === 0 ? own : [",", ...own])), "]"]);
}
