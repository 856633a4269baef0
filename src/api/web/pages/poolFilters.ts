export const FILTERS = ["all", "v2", "v3", "v4", "infinity", "algebra", "volatile", "stable"] as const;

/** Anyone can deploy an exchange, so by default only configured or known ones are listed. */
export const EXCHANGES = ["known", "all"] as const;
