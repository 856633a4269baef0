/** The body of a response: one text, or its parts in their order where some of it is bytes already. */
export type ResponseBody = string | readonly (string | Buffer)[];

/** Its length in bytes; a text counts its characters, as a limit needs no more. */
export function lengthOf(body: ResponseBody): number {
  return typeof body === "string" ? body.length : body.reduce((sum, part) => sum + part.length, 0);
}

export function textOf(body: ResponseBody): string {
  return typeof body === "string" ? body : body.map(String).join("");
}

/** Bodies as one JSON list. */
export function listOf(bodies: readonly ResponseBody[]): ResponseBody {
  if (bodies.every((body) => typeof body === "string")) return `[${bodies.join(",")}]`;
  return ["[", ...bodies.flatMap((body, at) => (at === 0 ? body : [",", ...[body].flat()])), "]"];
}
