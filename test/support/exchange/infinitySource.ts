/** Pools of PancakeSwap Infinity, whose arithmetic is that of Uniswap V4: its manager keeps the pools, this one says what happens. */
export const INFINITY_SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

struct Key { address currency0; address currency1; address hooks; address poolManager; uint24 fee; bytes32 parameters; }
struct KeyV4 { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }
struct Swapping { bool zeroForOne; int256 amountSpecified; uint160 sqrtPriceLimitX96; }
struct Change { int24 tickLower; int24 tickUpper; int256 liquidityDelta; bytes32 salt; }

interface IV4 {
  function unlock(bytes calldata data) external returns (bytes memory);
  function initialize(KeyV4 memory key, uint160 sqrtPrice) external returns (int24);
  function modifyLiquidity(KeyV4 memory key, Change memory change, bytes calldata data) external returns (int256, int256);
  function swap(KeyV4 memory key, Swapping memory wanted, bytes calldata data) external returns (int256);
  function sync(address currency) external;
  function settle() external payable returns (uint256);
  function take(address currency, address to, uint256 amount) external;
  function setProtocolFee(KeyV4 memory key, uint24 fee) external;
  function protocolFeesAccrued(address currency) external view returns (uint256);
  function extsload(bytes32 slot) external view returns (bytes32);
}

interface ILocker { function lockAcquired(bytes calldata data) external returns (bytes memory); }

interface IToken {
  function balanceOf(address who) external view returns (uint256);
  function transfer(address to, uint256 value) external returns (bool);
  function transferFrom(address from, address to, uint256 value) external returns (bool);
}

/// Vault and manager at once.
contract InfinityManager {
  event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, address hooks, uint24 fee, bytes32 parameters, uint160 sqrtPriceX96, int24 tick);
  event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt);
  event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee, uint16 protocolFee);
  event ProtocolFeeUpdated(bytes32 indexed id, uint24 protocolFee);

  IV4 private immutable v4;
  address private locker;
  address private synced;
  uint24 public firstProtocolFee;
  mapping(bytes32 => bytes32) private slots;

  constructor(IV4 v4_) { v4 = v4_; }

  receive() external payable {}

  function lock(bytes calldata data) external returns (bytes memory) {
    locker = msg.sender;
    return v4.unlock(data);
  }

  function unlockCallback(bytes calldata data) external returns (bytes memory) { return ILocker(locker).lockAcquired(data); }

  function setFirstProtocolFee(uint24 to) external { firstProtocolFee = to; }

  /// A new pool has the share of the protocol without an event.
  function initialize(Key calldata key, uint160 sqrtPrice) external returns (int24 tick) {
    (bytes32 id, KeyV4 memory own) = (idOf(key), ownOf(key));
    slots[id] = keccak256(abi.encode(keccak256(abi.encode(own)), uint256(6)));
    tick = v4.initialize(own, sqrtPrice);
    v4.setProtocolFee(own, firstProtocolFee);
    emit Initialize(id, key.currency0, key.currency1, key.hooks, key.fee, key.parameters, sqrtPrice, tick);
  }

  function setProtocolFee(Key calldata key, uint24 fee) external {
    v4.setProtocolFee(ownOf(key), fee);
    emit ProtocolFeeUpdated(idOf(key), fee);
  }

  function modifyLiquidity(Key calldata key, Change calldata change, bytes calldata) external returns (int256 delta, int256 fees) {
    (delta, fees) = v4.modifyLiquidity(ownOf(key), change, "");
    emit ModifyLiquidity(idOf(key), msg.sender, change.tickLower, change.tickUpper, change.liquidityDelta, change.salt);
  }

  function swap(Key calldata key, Swapping calldata wanted, bytes calldata) external returns (int256 delta) {
    delta = v4.swap(ownOf(key), wanted, "");
    bytes32 id = idOf(key);
    (uint160 price, int24 tick, uint24 both, uint24 fee) = getSlot0(id);
    uint24 share = wanted.zeroForOne ? both & 0xfff : both >> 12;
    uint24 whole = share + fee - uint24(uint256(share) * fee / 1000000);
    emit Swap(id, msg.sender, int128(delta >> 128), int128(delta), price, getLiquidity(id), tick, whole, uint16(share));
  }

  function sync(address currency) external {
    synced = currency;
    v4.sync(currency);
  }

  function settle() external payable returns (uint256) {
    if (synced != address(0)) IToken(synced).transfer(address(v4), IToken(synced).balanceOf(address(this)));
    return v4.settle{value: msg.value}();
  }

  function take(address currency, address to, uint256 amount) external { v4.take(currency, to, amount); }

  function getSlot0(bytes32 id) public view returns (uint160, int24, uint24, uint24) {
    uint256 word = uint256(v4.extsload(slots[id]));
    return (uint160(word), int24(uint24(word >> 160)), uint24(word >> 184), uint24(word >> 208));
  }

  function getLiquidity(bytes32 id) public view returns (uint128) { return uint128(uint256(v4.extsload(bytes32(uint256(slots[id]) + 3)))); }

  /// What is there for the liquidity of all pools.
  function held(address currency) external view returns (uint256) {
    return IToken(currency).balanceOf(address(v4)) - v4.protocolFeesAccrued(currency);
  }

  function idOf(Key calldata key) private pure returns (bytes32) { return keccak256(abi.encode(key)); }

  function ownOf(Key calldata key) private view returns (KeyV4 memory) {
    require(key.poolManager == address(this), "another manager");
    return KeyV4(key.currency0, key.currency1, key.fee, int24(uint24(uint256(key.parameters) >> 16)), address(0));
  }
}

/// Trades, and has positions that are tokens: minted before their liquidity is added, as the published position manager does.
contract InfinityTrader {
  event Transfer(address indexed from, address indexed to, uint256 indexed id);

  InfinityManager private immutable vault;
  InfinityManager private immutable manager;
  uint256 public last;

  constructor(InfinityManager vault_, InfinityManager manager_) { (vault, manager) = (vault_, manager_); }

  receive() external payable {}

  function mint(Key calldata key, int24 lower, int24 upper, int256 liquidity, address to) external {
    emit Transfer(address(0), to, ++last);
    change(key, Change(lower, upper, liquidity, bytes32(last)));
  }

  function change(Key calldata key, Change memory wanted) public payable {
    vault.lock(abi.encode(msg.sender, key, true, abi.encode(wanted)));
    payable(msg.sender).transfer(address(this).balance);
  }

  function swap(Key calldata key, Swapping calldata wanted) external payable returns (int256) {
    return abi.decode(vault.lock(abi.encode(msg.sender, key, false, abi.encode(wanted))), (int256));
  }

  function lockAcquired(bytes calldata data) external returns (bytes memory) {
    (address payer, Key memory key, bool isChange, bytes memory wanted) = abi.decode(data, (address, Key, bool, bytes));
    int256 delta;
    if (isChange) (delta,) = manager.modifyLiquidity(key, abi.decode(wanted, (Change)), "");
    else delta = manager.swap(key, abi.decode(wanted, (Swapping)), "");
    pay(payer, key.currency0, int256(int128(delta >> 128)));
    pay(payer, key.currency1, int256(int128(delta)));
    return abi.encode(delta);
  }

  function pay(address payer, address currency, int256 amount) private {
    if (amount > 0) vault.take(currency, payer, uint256(amount));
    if (amount >= 0) return;
    vault.sync(currency);
    if (currency == address(0)) vault.settle{value: uint256(-amount)}();
    else {
      IToken(currency).transferFrom(payer, address(vault), uint256(-amount));
      vault.settle();
    }
  }
}
`;
