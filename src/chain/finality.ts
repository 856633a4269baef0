/** How deep below the head a block counts as safe, and as finalized, where the node names none. */
export const SAFE_DEPTH = 32;
export const FINALIZED_DEPTH = 64;
