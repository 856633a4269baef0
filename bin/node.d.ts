export const PROGRAM_FLAGS: readonly string[];
