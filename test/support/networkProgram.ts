import type { Json } from "./api.ts";

export interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The results of some calls, in their order; undefined where one was refused. */
export async function askAll(url: string, calls: readonly Call[]): Promise<unknown[]> {
  const results: unknown[] = [];
  for (let at = 0; at < calls.length; at += 500) {
    const batch = calls.slice(at, at + 500).map((call, index) => ({ jsonrpc: "2.0", id: index, ...call }));
    const answers = (await post(url, batch)) as unknown as { id: number; result?: unknown }[];
    const byId = new Map(answers.map(({ id, result }) => [id, result]));
    results.push(...batch.map(({ id }) => byId.get(id)));
  }
  return results;
}

export async function ask<T = unknown>(url: string, method: string, ...params: unknown[]): Promise<T> {
  const { result, error } = await post(url, { jsonrpc: "2.0", id: 1, method, params });
  if (error !== undefined) throw new Error((error as Error).message);
  return result as T;
}

async function post(url: string, body: object): Promise<Json> {
  const response = await fetch(`${url}/rpc`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });
  return (await response.json()) as Json;
}
