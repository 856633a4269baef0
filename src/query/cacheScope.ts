/**
 * Validity of a result. `index`: until the index, the known height, imported ABIs or stored metadata change.
 * `state`: additionally until the node's answers about the state at the newest indexed block change.
 */
export type CacheScope = "index" | "state";
