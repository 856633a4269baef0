/**
 * Pools of both generations of Solidly, written for these tests: their interface, their events and their arithmetic to the
 * last unit, which the published contracts share.
 */
export const SOLIDLY_SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IToken {
  function balanceOf(address owner) external view returns (uint256);
  function decimals() external view returns (uint8);
  function transfer(address to, uint256 value) external returns (bool);
  function transferFrom(address from, address to, uint256 value) external returns (bool);
}

interface IFees { function pay(address to, uint256 amount0, uint256 amount1) external; }

/// Keeps what a pool takes of trades.
contract FeeBox is IFees {
  address immutable pool = msg.sender;
  IToken immutable one;
  IToken immutable two;

  constructor(IToken one_, IToken two_) { (one, two) = (one_, two_); }

  function pay(address to, uint256 amount0, uint256 amount1) external {
    require(msg.sender == pool);
    if (amount0 > 0) one.transfer(to, amount0);
    if (amount1 > 0) two.transfer(to, amount1);
  }
}

interface IHook { function hook(address sender, uint256 out0, uint256 out1, bytes calldata data) external; }

interface IFactory { function feeOf(address pool, bool stable) external view returns (uint256); }

contract Pool {
  event Transfer(address indexed from, address indexed to, uint256 value);
  event Fees(address indexed sender, uint256 amount0, uint256 amount1);
  event Mint(address indexed sender, uint256 amount0, uint256 amount1);
  event Sync(uint256 reserve0, uint256 reserve1);
  event Claim(address indexed sender, address indexed recipient, uint256 amount0, uint256 amount1);

  uint256 constant ONE = 1e18;
  string public constant symbol = "AMM";
  string public constant name = "Shares";
  uint8 public constant decimals = 18;

  IFactory immutable maker = IFactory(msg.sender);
  bool immutable isFirst;
  address public immutable token0;
  address public immutable token1;
  bool public immutable stable;
  FeeBox immutable box;
  uint256 immutable unit0;
  uint256 immutable unit1;

  uint256 public reserve0;
  uint256 public reserve1;
  uint256 public totalSupply;
  mapping(address => uint256) public balanceOf;
  uint256 public index0;
  uint256 public index1;
  mapping(address => uint256) public supplyIndex0;
  mapping(address => uint256) public supplyIndex1;
  mapping(address => uint256) public claimable0;
  mapping(address => uint256) public claimable1;

  constructor(address token0_, address token1_, bool stable_, bool isFirst_) {
    (token0, token1, stable, isFirst) = (token0_, token1_, stable_, isFirst_);
    box = new FeeBox(IToken(token0_), IToken(token1_));
    (unit0, unit1) = (10 ** IToken(token0_).decimals(), 10 ** IToken(token1_).decimals());
  }

  /// The first generation does not say it.
  function factory() external view returns (address) {
    require(!isFirst);
    return address(maker);
  }

  function getReserves() external view returns (uint256, uint256) { return (reserve0, reserve1); }

  function held() private view returns (uint256, uint256) {
    return (IToken(token0).balanceOf(address(this)), IToken(token1).balanceOf(address(this)));
  }

  function settle(address owner) private {
    uint256 shares = balanceOf[owner];
    claimable0[owner] += shares * (index0 - supplyIndex0[owner]) / ONE;
    claimable1[owner] += shares * (index1 - supplyIndex1[owner]) / ONE;
    (supplyIndex0[owner], supplyIndex1[owner]) = (index0, index1);
  }

  function transfer(address to, uint256 shares) external returns (bool) {
    settle(msg.sender);
    settle(to);
    balanceOf[msg.sender] -= shares;
    balanceOf[to] += shares;
    emit Transfer(msg.sender, to, shares);
    return true;
  }

  function issue(address to, uint256 shares) private {
    settle(to);
    totalSupply += shares;
    balanceOf[to] += shares;
    emit Transfer(address(0), to, shares);
  }

  function keep(uint256 balance0, uint256 balance1) private {
    (reserve0, reserve1) = (balance0, balance1);
    emit Sync(balance0, balance1);
  }

  function mint(address to) external returns (uint256 shares) {
    (uint256 balance0, uint256 balance1) = held();
    (uint256 amount0, uint256 amount1) = (balance0 - reserve0, balance1 - reserve1);
    if (totalSupply == 0) {
      shares = root(amount0 * amount1) - 1000;
      issue(address(1), 1000);
    } else {
      (uint256 of0, uint256 of1) = (amount0 * totalSupply / reserve0, amount1 * totalSupply / reserve1);
      shares = of0 < of1 ? of0 : of1;
    }
    require(shares > 0);
    issue(to, shares);
    keep(balance0, balance1);
    emit Mint(msg.sender, amount0, amount1);
  }

  function burn(address to) external {
    (uint256 balance0, uint256 balance1) = held();
    uint256 shares = balanceOf[address(this)];
    (uint256 amount0, uint256 amount1) = (shares * balance0 / totalSupply, shares * balance1 / totalSupply);
    require(amount0 > 0 && amount1 > 0);
    settle(address(this));
    balanceOf[address(this)] = 0;
    totalSupply -= shares;
    emit Transfer(address(this), address(0), shares);
    IToken(token0).transfer(to, amount0);
    IToken(token1).transfer(to, amount1);
    (balance0, balance1) = held();
    keep(balance0, balance1);
    bytes32 topic = isFirst ? keccak256("Burn(address,uint256,uint256,address)") : keccak256("Burn(address,address,uint256,uint256)");
    bytes memory data = abi.encode(amount0, amount1);
    logOf(topic, to, data);
  }

  function swap(uint256 out0, uint256 out1, address to, bytes calldata data) external {
    require(out0 < reserve0 && out1 < reserve1 && out0 + out1 > 0);
    if (out0 > 0) IToken(token0).transfer(to, out0);
    if (out1 > 0) IToken(token1).transfer(to, out1);
    if (data.length > 0) IHook(to).hook(msg.sender, out0, out1, data);
    (uint256 balance0, uint256 balance1) = held();
    uint256 in0 = balance0 > reserve0 - out0 ? balance0 - (reserve0 - out0) : 0;
    uint256 in1 = balance1 > reserve1 - out1 ? balance1 - (reserve1 - out1) : 0;
    require(in0 + in1 > 0);
    charge(in0, in1);
    (balance0, balance1) = held();
    require(invariant(balance0, balance1) >= invariant(reserve0, reserve1));
    keep(balance0, balance1);
    bytes32 topic = isFirst
      ? keccak256("Swap(address,uint256,uint256,uint256,uint256,address)")
      : keccak256("Swap(address,address,uint256,uint256,uint256,uint256)");
    logOf(topic, to, abi.encode(in0, in1, out0, out1));
  }

  /// Both generations index sender and recipient; only the order of their fields differs, and so the topic.
  function logOf(bytes32 topic, address to, bytes memory data) private {
    assembly { log3(add(data, 32), mload(data), topic, caller(), to) }
  }

  function charge(uint256 in0, uint256 in1) private {
    uint256 rate = maker.feeOf(address(this), stable);
    (uint256 fee0, uint256 fee1) = (in0 * rate / 10000, in1 * rate / 10000);
    if (fee0 > 0) {
      IToken(token0).transfer(address(box), fee0);
      index0 += fee0 * ONE / totalSupply;
      emit Fees(msg.sender, fee0, 0);
    }
    if (fee1 > 0) {
      IToken(token1).transfer(address(box), fee1);
      index1 += fee1 * ONE / totalSupply;
      emit Fees(msg.sender, 0, fee1);
    }
  }

  function claimFees() external returns (uint256 amount0, uint256 amount1) {
    settle(msg.sender);
    (amount0, amount1) = (claimable0[msg.sender], claimable1[msg.sender]);
    (claimable0[msg.sender], claimable1[msg.sender]) = (0, 0);
    box.pay(msg.sender, amount0, amount1);
    emit Claim(msg.sender, msg.sender, amount0, amount1);
  }

  function sync() external {
    (uint256 balance0, uint256 balance1) = held();
    keep(balance0, balance1);
  }

  function skim(address to) external {
    (uint256 balance0, uint256 balance1) = held();
    IToken(token0).transfer(to, balance0 - reserve0);
    IToken(token1).transfer(to, balance1 - reserve1);
  }

  function getAmountOut(uint256 amount, address token) external view returns (uint256) {
    amount -= amount * maker.feeOf(address(this), stable) / 10000;
    bool isZero = token == token0;
    if (!stable) {
      (uint256 from, uint256 to) = isZero ? (reserve0, reserve1) : (reserve1, reserve0);
      return amount * to / (from + amount);
    }
    (uint256 whole0, uint256 whole1) = (reserve0 * ONE / unit0, reserve1 * ONE / unit1);
    (uint256 x, uint256 y) = isZero ? (whole0, whole1) : (whole1, whole0);
    (uint256 unitIn, uint256 unitOut) = isZero ? (unit0, unit1) : (unit1, unit0);
    x += amount * ONE / unitIn;
    uint256 wanted = invariant(reserve0, reserve1);
    uint256 left = isFirst ? searchFirst(x, wanted, y) : searchSecond(x, wanted, y);
    return (y - left) * unitOut / ONE;
  }

  function invariant(uint256 amount0, uint256 amount1) private view returns (uint256) {
    if (!stable) return amount0 * amount1;
    return curve(amount0 * ONE / unit0, amount1 * ONE / unit1);
  }

  function curve(uint256 x, uint256 y) private pure returns (uint256) {
    return (x * y / ONE) * (x * x / ONE + y * y / ONE) / ONE;
  }

  function slope(uint256 x, uint256 y) private pure returns (uint256) {
    return 3 * x * (y * y / ONE) / ONE + x * x / ONE * x / ONE;
  }

  function searchFirst(uint256 x, uint256 wanted, uint256 y) private pure returns (uint256) {
    for (uint256 round = 0; round < 255; round++) {
      uint256 found = x * (y * y / ONE * y / ONE) / ONE + (x * x / ONE * x / ONE) * y / ONE;
      bool isBelow = found < wanted;
      uint256 step = (isBelow ? wanted - found : found - wanted) * ONE / slope(x, y);
      y = isBelow ? y + step : y - step;
      if (step <= 1) break;
    }
    return y;
  }

  function searchSecond(uint256 x, uint256 wanted, uint256 y) private view returns (uint256) {
    for (uint256 round = 0; round < 255; round++) {
      uint256 found = curve(x, y);
      bool isBelow = found < wanted;
      uint256 step = (isBelow ? wanted - found : found - wanted) * ONE / slope(x, y);
      if (step == 0) {
        if (found == wanted) return y;
        // Counts amounts that are scaled as if they were not, as the published contracts do.
        if (isBelow && invariant(x, y + 1) > wanted) return y + 1;
        if (!isBelow && curve(x, y - 1) < wanted) return y;
        step = 1;
      }
      y = isBelow ? y + step : y - step;
    }
    revert("none");
  }

  function root(uint256 value) private pure returns (uint256 found) {
    found = value;
    for (uint256 next = value / 2 + 1; next < found; next = (value / next + next) / 2) found = next;
  }
}

/// Of either generation.
contract Factory is IFactory {
  event PairCreated(address indexed token0, address indexed token1, bool stable, address pair, uint256 count);
  event PoolCreated(address indexed token0, address indexed token1, bool indexed stable, address pool, uint256 count);

  bool immutable isFirst;
  uint256 count;
  mapping(bool => uint256) fees;
  mapping(address => uint256) feesOfPools;
  mapping(address => mapping(address => mapping(bool => address))) pools;

  constructor(bool isFirst_) {
    isFirst = isFirst_;
    (fees[true], fees[false]) = (5, 30);
  }

  function setFee(bool stable, uint256 fee) external { fees[stable] = fee; }
  function setCustomFee(address pool, uint256 fee) external { feesOfPools[pool] = fee + 1; }

  function feeOf(address pool, bool stable) public view returns (uint256) {
    uint256 own = feesOfPools[pool];
    return own == 0 ? fees[stable] : own - 1;
  }

  function getFee(address pool, bool stable) external view returns (uint256) {
    require(!isFirst);
    return feeOf(pool, stable);
  }

  function getFee(bool stable) external view returns (uint256) {
    require(isFirst);
    return fees[stable];
  }

  function getPair(address a, address b, bool stable) external view returns (address) {
    require(isFirst);
    return pools[a][b][stable];
  }

  function getPool(address a, address b, bool stable) external view returns (address) {
    require(!isFirst);
    return pools[a][b][stable];
  }

  function createPool(address a, address b, bool stable) external returns (address pool) {
    (address token0, address token1) = a < b ? (a, b) : (b, a);
    require(pools[token0][token1][stable] == address(0));
    pool = address(new Pool(token0, token1, stable, isFirst));
    pools[token0][token1][stable] = pools[token1][token0][stable] = pool;
    count++;
    if (isFirst) emit PairCreated(token0, token1, stable, pool, count);
    else emit PoolCreated(token0, token1, stable, pool, count);
  }
}

/// Pays pools in the same call.
contract Router is IHook {
  function swap(Pool pool, address token, uint256 amount) external {
    uint256 out = pool.getAmountOut(amount, token);
    IToken(token).transferFrom(msg.sender, address(pool), amount);
    bool isZero = token == pool.token0();
    pool.swap(isZero ? 0 : out, isZero ? out : 0, msg.sender, "");
  }

  /// Takes both tokens and returns them with more.
  function flash(Pool pool, uint256 out0, uint256 out1, uint256 in0, uint256 in1) external {
    pool.swap(out0, out1, address(this), abi.encode(msg.sender, in0, in1));
  }

  function hook(address, uint256 out0, uint256 out1, bytes calldata data) external {
    (address payer, uint256 in0, uint256 in1) = abi.decode(data, (address, uint256, uint256));
    (IToken token0, IToken token1) = (IToken(Pool(msg.sender).token0()), IToken(Pool(msg.sender).token1()));
    if (out0 > 0) token0.transfer(payer, out0);
    if (out1 > 0) token1.transfer(payer, out1);
    if (in0 > 0) token0.transferFrom(payer, msg.sender, in0);
    if (in1 > 0) token1.transferFrom(payer, msg.sender, in1);
  }

  function add(Pool pool, uint256 amount0, uint256 amount1) external {
    IToken(pool.token0()).transferFrom(msg.sender, address(pool), amount0);
    IToken(pool.token1()).transferFrom(msg.sender, address(pool), amount1);
    pool.mint(msg.sender);
  }
}
`;
