export { chainAt, mainnet, type OrielChain, testnet } from "./chains.ts";
export { OrielClient } from "./client.ts";
export { OrielError, RpcError } from "./errors.ts";
export type { Actions, Paths, PostPaths } from "./generated/paths.ts";
export type * from "./generated/records.ts";
export type { CallOptions, HttpOptions } from "./http.ts";
export type { ItemOf, ListPath } from "./pages.ts";
export type { RpcMethods } from "./rpcMethods.ts";
export type * from "./rpcRecords.ts";
