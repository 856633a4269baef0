import type { Release } from "./releases.ts";

/** A contract to deploy and verify. */
export interface CorpusContract {
  readonly what: string;
  readonly release: Release;
  /** Solidity unless it is named. */
  readonly language?: "Yul";
  readonly settings: object;
  readonly sources: Readonly<Record<string, string>>;
  readonly path: string;
  readonly name: string;
  readonly arguments?: readonly unknown[];
  /** Libraries that are deployed first and linked afterwards. */
  readonly libraries?: readonly string[];
  /** The contract that makes it, with a function `make` that takes its arguments and logs where it is. */
  readonly madeBy?: string;
  /** Text of the source and what takes its place, so that it compiles to other code. */
  readonly change: readonly [from: string, to: string];
  /** Whether its code has a hash of its metadata; without one no match is perfect. */
  readonly isHashed?: boolean;
}

const MIT = "// SPDX-License-Identifier: MIT\n";
const OPTIMIZED = { optimizer: { enabled: true, runs: 200 } };
const PLAIN = { optimizer: { enabled: false, runs: 200 } };

const LIBRARY = (pragma: string, form: string) => `${MIT}pragma solidity ${pragma};
library Sums {
  function addUp(uint256 a, uint256 b) ${form} pure returns (uint256) { return a + b; }
}`;

const FACTORY = (pragma: string) => `${MIT}pragma solidity ${pragma};
contract Made {
  uint256 public immutable number;
  string public text;
  constructor(uint256 n, string memory t) { number = n; text = t; }
  function double() external view returns (uint256) { return number * 2; }
}
contract Maker {
  event MadeOne(address made);
  function make(uint256 n, string calldata t) external { emit MadeOne(address(new Made(n, t))); }
}`;

/** Keeps one word, which whoever sends one replaces. */
const YUL_BOX = `object "Box" {
  code {
    datacopy(0, dataoffset("runtime"), datasize("runtime"))
    return(0, datasize("runtime"))
  }
  object "runtime" {
    code {
      if calldatasize() { sstore(0, calldataload(0)) stop() }
      mstore(0, sload(0))
      return(0, 32)
    }
  }
}`;

export const CORPUS: readonly CorpusContract[] = [
  {
    what: "an old pragma, a constructor by name, without the optimizer",
    release: "0.4.26",
    settings: PLAIN,
    sources: {
      "Old.sol": `pragma solidity ^0.4.11;
contract Owned { address owner; function Owned() public { owner = msg.sender; } }
contract Old is Owned {
  string public greeting;
  uint256 public count;
  function Old(string text, uint256 first) public { greeting = text; count = first; }
  function increase() public { count += 1; }
}`,
    },
    path: "Old.sol",
    name: "Old",
    arguments: ["a text that is longer than thirty-two bytes", 5],
    change: ["count += 1", "count += 2"],
  },
  {
    what: "a library that is linked, with placeholders of old",
    release: "0.4.26",
    settings: OPTIMIZED,
    sources: {
      "lib/Sums.sol": LIBRARY("^0.4.0", "public"),
      "User.sol": `pragma solidity ^0.4.0;
import "./lib/Sums.sol";
contract User { uint256 public sum; function add(uint256 n) public { sum = Sums.addUp(sum, n); } }`,
    },
    path: "User.sol",
    name: "User",
    libraries: ["Sums"],
    change: ["addUp(sum, n)", "addUp(n, sum)"],
  },
  {
    what: "several files, an interface and an abstract base",
    release: "0.5.17",
    settings: { ...OPTIMIZED, evmVersion: "istanbul" },
    sources: {
      "contracts/IStore.sol": "pragma solidity ^0.5.0;\ninterface IStore { function put(uint256 n) external; }",
      "contracts/Base.sol": `pragma solidity ^0.5.0;
import "./IStore.sol";
contract Base is IStore { uint256 public kept; function weigh(uint256 n) internal returns (uint256); }`,
      "contracts/Store.sol": `pragma solidity ^0.5.0;
import "./Base.sol";
contract Store is Base {
  function put(uint256 n) external { kept = weigh(n); }
  function weigh(uint256 n) internal returns (uint256) { return n * 3; }
}`,
    },
    path: "contracts/Store.sol",
    name: "Store",
    change: ["n * 3", "n * 4"],
  },
  {
    what: "a library itself, which has its own address in its code",
    release: "0.5.17",
    settings: PLAIN,
    sources: { "Sums.sol": LIBRARY("^0.5.0", "public") },
    path: "Sums.sol",
    name: "Sums",
    change: ["a + b", "a - b"],
  },
  {
    what: "immutables of the first release that has them well",
    release: "0.6.12",
    settings: PLAIN,
    sources: {
      "Fixed.sol": `${MIT}pragma solidity ^0.6.5;
contract Fixed {
  address public immutable owner;
  uint256 public immutable cap;
  constructor(uint256 most) public { owner = msg.sender; cap = most; }
  function isBelow(uint256 n) external view returns (bool) { return n < cap; }
}`,
    },
    path: "Fixed.sol",
    name: "Fixed",
    arguments: [1000],
    change: ["n < cap", "n > cap"],
  },
  {
    what: "no hash of metadata",
    release: "0.6.12",
    settings: { ...OPTIMIZED, metadata: { bytecodeHash: "none" } },
    sources: {
      "Plain.sol": `${MIT}pragma solidity ^0.6.0;
pragma experimental ABIEncoderV2;
contract Plain {
  struct Pair { uint128 a; uint128 b; }
  Pair[] public pairs;
  function put(Pair memory pair) external { pairs.push(pair); }
}`,
    },
    path: "Plain.sol",
    name: "Plain",
    change: ["pairs.push(pair);", "pairs.push(pair); pairs.push(pair);"],
    isHashed: false,
  },
  {
    what: "made by a factory, with arguments",
    release: "0.7.6",
    settings: OPTIMIZED,
    sources: { "Factory.sol": FACTORY("^0.7.0") },
    path: "Factory.sol",
    name: "Made",
    arguments: [77, "made"],
    madeBy: "Maker",
    change: ["number * 2", "number * 3"],
  },
  {
    what: "unicode in its path, comments and texts",
    release: "0.7.6",
    settings: PLAIN,
    sources: {
      "src/Grüße-世界.sol": `${MIT}pragma solidity ^0.7.0;
/// @title Grüße an die 世界 🌍
contract Greeter {
  // комментарий, и ещё один
  string public greeting = unicode"Grüße, 世界 🌍";
  function weigh() external view returns (uint256) { return bytes(greeting).length + 1; }
}`,
    },
    path: "src/Grüße-世界.sol",
    name: "Greeter",
    change: ["length + 1", "length + 2"],
  },
  {
    what: "by way of the IR, with immutables and errors",
    release: "0.8.37",
    settings: { ...OPTIMIZED, viaIR: true },
    sources: {
      "src/Vault.sol": `${MIT}pragma solidity ^0.8.20;
contract Vault {
  error AboveCap(uint256 amount, uint256 cap);
  event Deposited(address indexed who, uint256 amount);
  uint256 public immutable cap;
  mapping(address => uint256) public balances;
  constructor(uint256 most) payable { cap = most; }
  function deposit(uint256 amount) external {
    if (amount > cap) revert AboveCap(amount, cap);
    balances[msg.sender] += amount;
    emit Deposited(msg.sender, amount);
  }
}`,
    },
    path: "src/Vault.sol",
    name: "Vault",
    arguments: [10n ** 30n],
    change: ["+= amount", "+= amount + 1"],
  },
  {
    what: "two libraries in several files, one of which uses the other",
    release: "0.8.37",
    settings: PLAIN,
    sources: {
      "lib/Sums.sol": LIBRARY("^0.8.0", "external"),
      "lib/Products.sol": `${MIT}pragma solidity ^0.8.0;
library Products { function multiply(uint256 a, uint256 b) external pure returns (uint256) { return a * b; } }`,
      "src/Calculator.sol": `${MIT}pragma solidity ^0.8.0;
import {Sums} from "../lib/Sums.sol";
import "../lib/Products.sol";
contract Calculator {
  function run(uint256 a, uint256 b) external pure returns (uint256) {
    return Sums.addUp(Products.multiply(a, b), b);
  }
}`,
    },
    path: "src/Calculator.sol",
    name: "Calculator",
    libraries: ["Sums", "Products"],
    change: ["multiply(a, b), b)", "multiply(a, b), a)"],
  },
  {
    what: "no metadata at all",
    release: "0.8.37",
    settings: { ...OPTIMIZED, metadata: { appendCBOR: false, bytecodeHash: "none" } },
    sources: {
      "Bare.sol": `${MIT}pragma solidity ^0.8.18;
contract Bare { uint256 public n; constructor(uint256 first) { n = first; } function set(uint256 to) external { n = to + 1; } }`,
    },
    path: "Bare.sol",
    name: "Bare",
    arguments: [3],
    change: ["to + 1", "to + 2"],
    isHashed: false,
  },
  {
    what: "a contract that contains another, so that there are metadata amidst its code",
    release: "0.8.37",
    settings: OPTIMIZED,
    sources: { "Factory.sol": FACTORY("^0.8.0") },
    path: "Factory.sol",
    name: "Maker",
    change: ["number * 2", "number * 3"],
  },
  {
    what: "Yul",
    release: "0.8.37",
    language: "Yul",
    settings: PLAIN,
    sources: { "src/Box.yul": YUL_BOX },
    path: "src/Box.yul",
    name: "Box",
    change: ["sstore(0", "sstore(1"],
    isHashed: false,
  },
];

export const inputOf = ({ language, sources, settings }: CorpusContract) => ({
  language: language ?? "Solidity",
  sources: Object.fromEntries(Object.entries(sources).map(([path, content]) => [path, { content }])),
  settings,
});

/** With one text in place of another, so that other code comes of it. */
export function changed(contract: CorpusContract): CorpusContract {
  const [from, to] = contract.change;
  const sources = Object.entries(contract.sources).map(([path, text]) => [path, text.replace(from, to)]);
  return { ...contract, sources: Object.fromEntries(sources) as Record<string, string> };
}

export function commented(contract: CorpusContract): CorpusContract {
  const { path, sources } = contract;
  return { ...contract, sources: { ...sources, [path]: `${sources[path]}\n// another comment` } };
}
