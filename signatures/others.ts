/** Functions and events that many use and no package here publishes. The hashes are checked against the text. */
export const OTHER_FUNCTIONS = [
  // Safe
  "6a761202 execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)",
  "b63e800d setup(address[] _owners, uint256 _threshold, address to, bytes data, address fallbackHandler, address paymentToken, uint256 payment, address paymentReceiver)",
  "1688f0b9 createProxyWithNonce(address _singleton, bytes initializer, uint256 saltNonce)",
  "8d80ff0a multiSend(bytes transactions)",
  "0d582f13 addOwnerWithThreshold(address owner, uint256 _threshold)",
  "610b5925 enableModule(address module)",
  // Permit2
  "87517c45 approve(address token, address spender, uint160 amount, uint48 expiration)",
  "2b67b570 permit(address owner, ((address token, uint160 amount, uint48 expiration, uint48 nonce) details, address spender, uint256 sigDeadline) permitSingle, bytes signature)",
  "36c78516 transferFrom(address from, address to, uint160 amount, address token)",
  "30f28b7a permitTransferFrom(((address token, uint256 amount) permitted, uint256 nonce, uint256 deadline) permit, (address to, uint256 requestedAmount) transferDetails, address owner, bytes signature)",
  // Uniswap's newer routers
  "3593564c execute(bytes commands, bytes[] inputs, uint256 deadline)",
  "24856bc3 execute(bytes commands, bytes[] inputs)",
  "5ae401dc multicall(uint256 deadline, bytes[] data)",
  "04e45aaf exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params)",
  "b858183f exactInput((bytes path, address recipient, uint256 amountIn, uint256 amountOutMinimum) params)",
  "472b43f3 swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to)",
  // Stablecoins
  "e3ee160e transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  "ef55bec6 receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  "8fcbaf0c permit(address holder, address spender, uint256 nonce, uint256 expiry, bool allowed, uint8 v, bytes32 r, bytes32 s)",
  // Lending
  "617ba037 supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)",
  "69328dec withdraw(address asset, uint256 amount, address to)",
  "a415bcad borrow(address asset, uint256 amount, uint256 interestRateMode, uint16 referralCode, address onBehalfOf)",
  "573ade81 repay(address asset, uint256 amount, uint256 interestRateMode, address onBehalfOf)",
  // Others
  "e9ae5c53 execute(bytes32 mode, bytes executionData)",
  "22895118 deposit(bytes pubkey, bytes withdrawal_credentials, bytes signature, bytes32 deposit_data_root)",
  "3df02124 exchange(int128 i, int128 j, uint256 dx, uint256 min_dy)",
  "e63d38ed disperseEther(address[] recipients, uint256[] values)",
  "c73a2d60 disperseToken(address token, address[] recipients, uint256[] values)",
];

export const OTHER_EVENTS = [
  "442e715f626346e8c54381002da614f62bee8d27386535b2521ec8540898556e ExecutionSuccess(bytes32 txHash, uint256 payment)",
  "4f51faf6c4561ff95f067657e43439f0f856d97c04d9ec9070a6199ad418e235 ProxyCreation(address proxy, address singleton)",
];
