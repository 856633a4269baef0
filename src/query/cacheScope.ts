/**
 * How long a result stays true. `index`: as long as the index, the known height of the chain, the imported ABIs and the metadata that are kept do not change.
 * `state`: moreover, as long as the node says the same of the state after the newest indexed block, with nothing missing.
 */
export type CacheScope = "index" | "state";
