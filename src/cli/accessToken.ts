import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeDirectory } from "../std/makeDirectory.ts";

export const ACCESS_TOKEN_FILE = "access-token";

/** Bearer secret of local programs. Created on first start, readable by this user only. */
export function readAccessToken(data: string): string {
  const path = join(data, ACCESS_TOKEN_FILE);
  try {
    makeDirectory(data);
    writeFileSync(path, `${randomBytes(32).toString("hex")}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readFileSync(path, "utf8").trim();
}
