import type { SandboxLimits } from "../../../src/verify/sandbox.ts";
import type { VerificationTask } from "../../../src/verify/verification.ts";

/** A submission that is meant to do harm, and how it has to end. */
export interface HostileInput {
  readonly what: string;
  readonly task: Partial<VerificationTask>;
  readonly limits?: Partial<SandboxLimits>;
  readonly message: RegExp;
}

const CONTRACT = "pragma solidity ^0.8.0;\ncontract A { uint256 public n; }";

const standard = (input: unknown): VerificationTask["source"] => ({
  format: "standard-json",
  text: typeof input === "string" ? input : JSON.stringify(input),
});

const files = (sources: Readonly<Record<string, string>>, settings: unknown = {}): Partial<VerificationTask> => ({
  source: standard({
    language: "Solidity",
    sources: Object.fromEntries(Object.entries(sources).map(([path, content]) => [path, { content }])),
    settings,
  }),
});

const one = (content: string, settings: unknown = {}) => files({ "A.sol": content }, settings);
const repeat = (count: number, part: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => part(at)).join("");

const endless = () =>
  `contract A { mapping(uint256 => uint256) m;
${repeat(1500, (at) => `function f${at}(uint256 a, uint256 b) external { m[a + ${at}] = m[b] * a + ${at}; m[b] += a; }\n`)}}`;

/** Hundreds of bytes of memory for each character. */
const bomb = () =>
  `contract A { function f() external { ${repeat(60, () => `[uint256(1)${",1".repeat(20_000)}];\n`)} } }`;

export const HOSTILE: readonly HostileInput[] = [
  {
    what: "an endless compilation",
    task: one(endless(), { viaIR: true, optimizer: { enabled: true, runs: 1_000_000 } }),
    limits: { milliseconds: 3000 },
    message: /^the compiler took more than 3 s$/,
  },
  {
    what: "a memory bomb",
    task: one(bomb()),
    limits: { bytes: 300 << 20 },
    message: /^the compiler needed more than 300 MiB of memory$/,
  },
  {
    what: "a traversal in a path",
    task: { ...files({ "../../../../etc/passwd": CONTRACT }), contract: "../../../../etc/passwd:B" },
    message: /^\.\.\/\.\.\/\.\.\/\.\.\/etc\/passwd has no contract B$/,
  },
  {
    what: "a traversal in an import",
    task: one(`import "../../../../../../etc/passwd";\n${CONTRACT}`),
    message: /Source "(\.\.\/)*etc\/passwd" not found/,
  },
  {
    what: "an import of a file of the system",
    task: one(`import "/etc/passwd";\n${CONTRACT}`),
    message: /Source "\/etc\/passwd" not found/,
  },
  {
    what: "a URL of a file",
    task: { source: standard({ sources: { "A.sol": { urls: ["file:///etc/passwd"] } } }) },
    message: /^the source A\.sol has no content; nothing is read from elsewhere$/,
  },
  {
    what: "a URL of the network",
    task: { source: standard({ sources: { "A.sol": { urls: ["http://169.254.169.254/latest/meta-data/"] } } }) },
    message: /^the source A\.sol has no content; nothing is read from elsewhere$/,
  },
  {
    what: "an error that quotes megabytes",
    task: one(`interface I { function f() external; } contract ${"x".repeat(1 << 20)} is I {}`),
    message: /^[\s\S]{1000,2000}…$/,
  },
  { what: "invalid JSON", task: { source: standard('{"sources": {') }, message: /^the source is not JSON$/ },
  {
    what: "deep JSON",
    task: {
      source: standard(
        `{"sources": {"A.sol": {"content": ""}}, "settings": ${'{"a":'.repeat(9000)}1${"}".repeat(9000)}}`,
      ),
    },
    message: /^the compiler cannot be used with this source|^\w+Error|no contract A/,
  },
  {
    what: "sources of 10 MB",
    task: one(`${CONTRACT}\n/*${"x".repeat(10 << 20)}*/`),
    limits: { milliseconds: 5000 },
    message:
      /^the source compiles to (other code|code of another length) than is deployed$|^the compiler took more than 5 s$/,
  },
  {
    what: "a name with lines",
    task: { ...one(CONTRACT), contract: "A.sol:A\nB" },
    message: /^the name of the contract is none$/,
  },
  {
    what: "keys of prototypes",
    task: {
      source: standard(
        '{"sources":{"__proto__":{"content":"contract A {}"}},"settings":{"__proto__":{"x":1},"constructor":{"prototype":{"y":1}}}}',
      ),
      contract: "__proto__:A",
    },
    message: /./,
  },
  {
    what: "settings of wrong types",
    task: one(CONTRACT, { optimizer: [], evmVersion: 7, viaIR: "no", libraries: 3, remappings: {}, metadata: null }),
    message: /must be|Invalid|invalid|Expected/,
  },
  {
    what: "a selection of all outputs, with no contract of the name",
    task: { ...one(CONTRACT, { outputSelection: { "*": { "*": ["*"], "": ["*"] } } }), contract: "B" },
    message: /^the source has no contract B$/,
  },
  {
    what: "a model checker that proves for ever",
    task: one(
      "contract A { function f(uint256 a, uint256 b, uint256 c) external pure { require(a > 2 && b > 2 && c > 2); unchecked { assert(a ** 9 + b ** 9 != c ** 9); } } }",
      { modelChecker: { engine: "all", timeout: 0, targets: ["assert", "overflow"], contracts: { "A.sol": ["A"] } } },
    ),
    message: /^the source compiles to (other code|code of another length) than is deployed$/,
  },
  {
    what: "a hundred thousand tiny sources",
    task: files(Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`${at}.sol`, ""]))),
    limits: { milliseconds: 5000 },
    message: /^A\.sol has no contract A$|^the compiler (took more|needed more)/,
  },
  { what: "a source of no length", task: one(""), message: /^A\.sol has no contract A$/ },
  {
    what: "marks of direction in its text",
    task: one("contract A { /* \u202e } \u2066 */ }"),
    message: /^ParserError: /,
  },
  {
    what: "a remapping to the root of the system",
    task: one(`import "x/passwd";\n${CONTRACT}`, { remappings: ["x/=/etc/"] }),
    message: /Source "\/etc\/passwd" not found/,
  },
  {
    what: "libraries at addresses that are none",
    task: one(CONTRACT, { libraries: { "A.sol": { L: "0x123", M: "__proto__" } } }),
    message: /Library address|library address|address/i,
  },
  {
    what: "a name that several files have",
    task: { ...files({ "A.sol": CONTRACT, "B.sol": CONTRACT }), contract: "A" },
    message: /^several files have a contract A$/,
  },
];
