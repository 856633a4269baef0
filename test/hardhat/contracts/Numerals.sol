// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// A library that is deployed on its own.
library Numerals {
    function half(uint256 number) public pure returns (uint256) {
        return number / 2;
    }
}
