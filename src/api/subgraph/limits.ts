/** Of one list, as graph-node has it. */
export const MAX_FIRST = 1000;
export const DEFAULT_FIRST = 100;
export const MAX_SKIP = 5000;

/** Bytes of a body. */
export const MAX_BODY = 64 << 10;

/** Tokens of a query's text. */
export const MAX_TOKENS = 5000;

/** Fields of a query with its fragments in the place of their names. */
export const MAX_SELECTED = 600;

/** Fields at its root, which aliases make as many as one likes. */
export const MAX_ROOTS = 20;

/** Of selections inside each other. */
export const MAX_DEPTH = 10;

/** Values of variables inside each other. */
export const MAX_NESTED = 20;

/** Conditions of a `where`. */
export const MAX_CONDITIONS = 50;

/** Fields in an answer: what is selected of each entity, times the entities that a list may have. */
export const MAX_FIELDS = 100_000;
