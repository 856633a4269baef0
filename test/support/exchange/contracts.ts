import type { Hex } from "../../../src/chain/encoding/hex.ts";
import type { Artifacts } from "../../../src/demo/artifacts.ts";
import { loadArtifacts } from "../../../src/demo/artifacts.ts";
import { compile } from "../solidity.ts";

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IERC20 {
  function transfer(address to, uint256 value) external returns (bool);
  function balanceOf(address who) external view returns (uint256);
}

interface IPair {
  function token0() external view returns (address);
  function token1() external view returns (address);
  function swap(uint256 out0, uint256 out1, address to, bytes calldata data) external;
  function getReserves() external view returns (uint112, uint112, uint32);
  function totalSupply() external view returns (uint256);
  function balanceOf(address who) external view returns (uint256);
}

interface IPool {
  function token0() external view returns (address);
  function token1() external view returns (address);
  function slot0() external view returns (uint160, int24, uint16, uint16, uint16, uint8, bool);
  function liquidity() external view returns (uint128);
  function mint(address to, int24 lower, int24 upper, uint128 amount, bytes calldata data) external;
  function burn(int24 lower, int24 upper, uint128 amount) external;
  function collect(address to, int24 lower, int24 upper, uint128 most0, uint128 most1) external;
  function swap(address to, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data) external;
  function flash(address to, uint256 amount0, uint256 amount1, bytes calldata data) external;
}

interface IPositions {
  function positions(uint256 id) external view returns (uint256[12] memory);
  function ownerOf(uint256 id) external view returns (address);
}

/// Anybody mints it and anybody spends it. It may burn a part of what is moved, fail to say its decimals, and rebase.
contract OddToken {
  string public name;
  string public symbol;
  uint256 private immutable _decimals;
  uint256 public totalSupply;
  uint256 private scale = 1e18;
  mapping(address => uint256) private shares;

  event Transfer(address indexed from, address indexed to, uint256 value);

  constructor(string memory name_, string memory symbol_, uint256 decimals_) {
    (name, symbol, _decimals) = (name_, symbol_, decimals_);
  }

  function decimals() external view returns (uint256) {
    require(_decimals < 256, "none");
    return _decimals;
  }

  function balanceOf(address who) public view returns (uint256) { return shares[who] * scale / 1e18; }

  function mint(address to, uint256 value) external {
    shares[to] += value * 1e18 / scale;
    totalSupply += value;
    emit Transfer(address(0), to, value);
  }

  /// Changes all balances without an event, as rebasing tokens do.
  function rebase(uint256 to) external { scale = to; }

  function approve(address, uint256) external pure returns (bool) { return true; }
  function allowance(address, address) external pure returns (uint256) { return type(uint256).max; }
  function transfer(address to, uint256 value) external returns (bool) { return move(msg.sender, to, value); }
  function transferFrom(address from, address to, uint256 value) external returns (bool) { return move(from, to, value); }

  function move(address from, address to, uint256 value) private returns (bool) {
    uint256 moved = value * 1e18 / scale;
    shares[from] -= moved;
    shares[to] += moved;
    emit Transfer(from, to, value);
    return true;
  }
}

/// Uses pools as contracts do: flash swaps, loans, positions of its own, several calls in one transaction.
contract Trader {
  function flashV2(IPair pair, uint256 out0, uint256 out1, uint256 back0, uint256 back1) external {
    pair.swap(out0, out1, address(this), abi.encode(back0, back1));
  }

  function uniswapV2Call(address, uint256, uint256, bytes calldata data) external {
    (uint256 back0, uint256 back1) = abi.decode(data, (uint256, uint256));
    pay(back0, back1);
  }

  function flashV3(IPool pool, uint256 amount0, uint256 amount1, uint256 gift0, uint256 gift1) external {
    pool.flash(address(this), amount0, amount1, abi.encode(amount0 + gift0, amount1 + gift1));
  }

  function uniswapV3FlashCallback(uint256 fee0, uint256 fee1, bytes calldata data) external {
    (uint256 back0, uint256 back1) = abi.decode(data, (uint256, uint256));
    pay(back0 + fee0, back1 + fee1);
  }

  function swapV3(IPool pool, bool zeroForOne, int256 amount) external {
    uint160 limit = zeroForOne ? 4295128740 : 1461446703485210103287273052203988822378723970341;
    pool.swap(address(this), zeroForOne, amount, limit, "");
  }

  function uniswapV3SwapCallback(int256 amount0, int256 amount1, bytes calldata) external {
    pay(amount0 > 0 ? uint256(amount0) : 0, amount1 > 0 ? uint256(amount1) : 0);
  }

  function mintV3(IPool pool, int24 lower, int24 upper, uint128 amount) external {
    pool.mint(address(this), lower, upper, amount, "");
  }

  function uniswapV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata) external { pay(amount0, amount1); }

  function burnV3(IPool pool, int24 lower, int24 upper, uint128 amount) external {
    pool.burn(lower, upper, amount);
    pool.collect(address(this), lower, upper, type(uint128).max, type(uint128).max);
  }

  function many(address[] calldata targets, bytes[] calldata data) external {
    for (uint256 i = 0; i < targets.length; i++) {
      (bool done,) = targets[i].call(data[i]);
      require(done, "refused");
    }
  }

  function pay(uint256 amount0, uint256 amount1) private {
    if (amount0 > 0) IERC20(IPair(msg.sender).token0()).transfer(msg.sender, amount0);
    if (amount1 > 0) IERC20(IPair(msg.sender).token1()).transfer(msg.sender, amount1);
  }
}

/// Says what whoever likes.
contract Forger {
  function emit0(bytes32[] calldata topics, bytes calldata data) external {
    bytes memory copy = data;
    if (topics.length == 1) {
      bytes32 a = topics[0];
      assembly { log1(add(copy, 32), mload(copy), a) }
    } else if (topics.length == 2) {
      (bytes32 a, bytes32 b) = (topics[0], topics[1]);
      assembly { log2(add(copy, 32), mload(copy), a, b) }
    } else if (topics.length == 3) {
      (bytes32 a, bytes32 b, bytes32 c) = (topics[0], topics[1], topics[2]);
      assembly { log3(add(copy, 32), mload(copy), a, b, c) }
    } else {
      (bytes32 a, bytes32 b, bytes32 c, bytes32 d) = (topics[0], topics[1], topics[2], topics[3]);
      assembly { log4(add(copy, 32), mload(copy), a, b, c, d) }
    }
  }
}

/// Asks many contracts in one call; all answers are words.
contract Lens {
  function pairs(address[] calldata which, address[] calldata tokens) external view returns (uint256[] memory words) {
    words = new uint256[](which.length * 5);
    for (uint256 i = 0; i < which.length; i++) {
      IPair pair = IPair(which[i]);
      (uint112 reserve0, uint112 reserve1,) = pair.getReserves();
      (words[i * 5], words[i * 5 + 1]) = (reserve0, reserve1);
      words[i * 5 + 2] = IERC20(tokens[i * 2]).balanceOf(which[i]);
      words[i * 5 + 3] = IERC20(tokens[i * 2 + 1]).balanceOf(which[i]);
      words[i * 5 + 4] = pair.totalSupply();
    }
  }

  function pools(address[] calldata which, address[] calldata tokens) external view returns (uint256[] memory words) {
    words = new uint256[](which.length * 6);
    for (uint256 i = 0; i < which.length; i++) {
      IPool pool = IPool(which[i]);
      (uint160 price, int24 tick,,,, uint8 share,) = pool.slot0();
      (words[i * 6], words[i * 6 + 1], words[i * 6 + 2]) = (price, uint256(int256(tick)), share);
      words[i * 6 + 3] = pool.liquidity();
      words[i * 6 + 4] = IERC20(tokens[i * 2]).balanceOf(which[i]);
      words[i * 6 + 5] = IERC20(tokens[i * 2 + 1]).balanceOf(which[i]);
    }
  }

  /// The owner of each, and the twelve words that the manager has of it; all 0 for one that is burnt.
  function positions(IPositions manager, uint256[] calldata ids) external view returns (uint256[] memory words) {
    words = new uint256[](ids.length * 13);
    for (uint256 i = 0; i < ids.length; i++) {
      try manager.ownerOf(ids[i]) returns (address owner) {
        uint256[12] memory position = manager.positions(ids[i]);
        words[i * 13] = uint160(owner);
        for (uint256 j = 0; j < 12; j++) words[i * 13 + 1 + j] = position[j];
      } catch {}
    }
  }

  function balances(address[] calldata tokens, address[] calldata holders) external view returns (uint256[] memory words) {
    words = new uint256[](tokens.length * holders.length);
    for (uint256 i = 0; i < tokens.length; i++) {
      for (uint256 j = 0; j < holders.length; j++) {
        words[i * holders.length + j] = IERC20(tokens[i]).balanceOf(holders[j]);
      }
    }
  }
}
`;

export interface ExchangeCode extends Artifacts {
  readonly OddToken: Hex;
  readonly Trader: Hex;
  readonly Forger: Hex;
  readonly Lens: Hex;
}

let known: ExchangeCode | undefined;

export function exchangeCode(): ExchangeCode {
  known ??= loadAll();
  return known;
}

function loadAll(): ExchangeCode {
  const loaded = loadArtifacts();
  if ("missing" in loaded) throw new Error(loaded.missing);
  const own = Object.entries(compile(SOURCE)).map(([name, { bytecode }]) => [name, bytecode]);
  return { ...loaded.artifacts, ...Object.fromEntries(own) } as ExchangeCode;
}
