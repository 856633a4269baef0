export const ENTRIES: readonly string[];
export function buildProgram(directory: string): Promise<void>;
