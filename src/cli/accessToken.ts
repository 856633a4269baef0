import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The file in the data directory that holds it. */
export const ACCESS_TOKEN_FILE = "access-token";

/** The secret that stands for a local program; made on the first start, and readable by this user alone. */
export function readAccessToken(data: string): string {
  const path = join(data, ACCESS_TOKEN_FILE);
  try {
    writeFileSync(path, `${randomBytes(32).toString("hex")}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readFileSync(path, "utf8").trim();
}
