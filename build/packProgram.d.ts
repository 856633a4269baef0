export function packProgram(directory: string): string;
