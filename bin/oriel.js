#!/usr/bin/env node
import { fileURLToPath } from "node:url";
import { PROGRAM_FLAGS, runNode } from "./node.js";
import { findProgram } from "./program.js";

const root = fileURLToPath(new URL("../", import.meta.url));
runNode([...PROGRAM_FLAGS, findProgram(root), ...process.argv.slice(2)]);
