import type { Context } from "../context.ts";

/** Answers a call of one method, or throws an `RpcError`. */
export type Method = (context: Context, params: readonly unknown[]) => unknown;

/** JSON-RPC methods by their name. */
export type Methods = Readonly<Record<string, Method>>;
