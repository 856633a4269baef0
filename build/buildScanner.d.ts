export function compileScanner(): Promise<string>;
export function writeScanner(): Promise<void>;
