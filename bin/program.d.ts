export function findProgram(root: string): string;
