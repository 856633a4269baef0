/** Depth below the head of safe and finalized blocks if the node does not support the tags. */
export const SAFE_DEPTH = 32;
export const FINALIZED_DEPTH = 64;
