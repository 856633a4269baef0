// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {Numerals} from "./Numerals.sol";

/// A token with constructor arguments, an immutable, a linked library and imports from a package.
contract Voucher is ERC20 {
    uint256 public immutable cap;

    constructor(string memory name, string memory symbol, uint256 largest) ERC20(name, symbol) {
        cap = largest;
        _mint(msg.sender, largest);
    }

    function halve() external {
        _burn(msg.sender, Numerals.half(balanceOf(msg.sender)));
    }
}
