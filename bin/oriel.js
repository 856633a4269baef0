#!/usr/bin/env node
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runNode } from "./node.js";

const source = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const built = fileURLToPath(new URL("../dist/main.js", import.meta.url));
// Bounds the garbage that the main thread collects at a time: by itself V8 lets it grow to 64 MB and keeps the room.
const flags = ["--max-semi-space-size=8"];
runNode([...flags, existsSync(source) ? source : built, ...process.argv.slice(2)]);
