const { event, indexed } = require("@subsquid/evm-abi");
const { address, uint256 } = require("@subsquid/evm-codec");

exports.Transfer = event(
  "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
  "Transfer(address,address,uint256)",
  { from: indexed(address), to: indexed(address), value: uint256 },
);
