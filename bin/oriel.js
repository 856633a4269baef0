#!/usr/bin/env node
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PROGRAM_FLAGS, runNode } from "./node.js";

const source = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const built = fileURLToPath(new URL("../dist/main.js", import.meta.url));
runNode([...PROGRAM_FLAGS, existsSync(source) ? source : built, ...process.argv.slice(2)]);
