import type { Context, DevelopmentContext } from "../context.ts";

/** Throws an `RpcError`. */
export type Method = (context: Context, params: readonly unknown[]) => unknown;

/** JSON-RPC methods by their name. */
export type Methods = Readonly<Record<string, Method>>;

/** Methods that send, sign, or change the chain. */
export type DevelopmentMethods = Readonly<
  Record<string, (context: DevelopmentContext, params: readonly unknown[]) => unknown>
>;
