import assert from "node:assert/strict";
import type { FastifyInstance } from "fastify";
import type { Json } from "../api.ts";
import { wholeTokens } from "./plain.ts";
import type { SceneToken } from "./scene.ts";

export type Kind = "v2" | "v3";

interface Answered {
  readonly data?: Json;
  readonly errors?: readonly { readonly message: string }[];
}

export async function askSubgraph(app: FastifyInstance, kind: Kind, query: string, variables?: Json) {
  const payload = JSON.stringify({ query, variables });
  const headers = { "content-type": "application/json" };
  const response = await app.inject({ method: "POST", url: `/subgraphs/uniswap-${kind}`, headers, payload });
  return { status: response.statusCode, ...response.json<Answered>() };
}

export type Entity = Readonly<Record<string, unknown>>;

export type Ask = (query: string, variables?: Json) => Promise<Readonly<Record<string, readonly Entity[]>>>;

export function whole(amount: bigint, { decimals }: SceneToken): string {
  return amount < 0n ? `-${wholeTokens(-amount, decimals)}` : wholeTokens(amount, decimals);
}

/** Digits of a quotient, in numbers of floating point. */
export function expectNear(actual: unknown, expected: number, where: string): void {
  assert.ok(
    Math.abs(Number(actual) - expected) <= Math.abs(expected) * 1e-9 + 1e-7,
    `${where}: ${actual}, not ${expected}`,
  );
}
