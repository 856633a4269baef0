import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Exchange {
  readonly request: string;
  readonly expected: Message;
}

export interface Message {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** One `.io` file: requests and the answers to them, in turn. */
export interface Case {
  readonly method: string;
  readonly name: string;
  readonly isShapeOnly: boolean;
  readonly exchanges: readonly Exchange[];
}

export function readCases(folder: string): Case[] {
  return globSync("*/*.io", { cwd: folder })
    .sort()
    .map((path) => readCase(path, readFileSync(join(folder, path), "utf8")));
}

function readCase(path: string, text: string): Case {
  const [method, file] = path.split("/") as [string, string];
  const lines = text.split("\n");
  const take = (prefix: string) =>
    lines.filter((line) => line.startsWith(prefix)).map((line) => line.slice(prefix.length));
  const answers = take("<< ");
  return {
    method,
    name: file.replace(/\.io$/, ""),
    isShapeOnly: take("// speconly").length > 0,
    exchanges: take(">> ").map((request, index) => ({ request, expected: JSON.parse(answers[index]!) as Message })),
  };
}
