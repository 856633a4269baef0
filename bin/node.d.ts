export const PROGRAM_FLAGS: readonly string[];
export const PROGRAM_ENVIRONMENT: Readonly<Record<string, string>>;
