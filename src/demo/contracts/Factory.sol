// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {Wallet} from "./Wallet.sol";

/// Makes wallets: minimal proxies (EIP-1167) of one wallet, at addresses known before.
contract Factory {
    address payable public immutable implementation;
    uint256 public count;

    event Created(address indexed wallet, address indexed owner, bytes32 salt);

    error SaltTaken(address wallet);

    constructor(address payable implementation_) {
        implementation = implementation_;
    }

    function create(address owner, bytes32 salt) external payable returns (address payable wallet) {
        address expected = predict(salt);
        if (expected.code.length > 0) revert SaltTaken(expected);
        wallet = payable(Clones.cloneDeterministic(implementation, salt));
        count++;
        Wallet(wallet).open(owner);
        emit Created(wallet, owner, salt);
        if (msg.value > 0) Address.sendValue(wallet, msg.value);
    }

    function predict(bytes32 salt) public view returns (address) {
        return Clones.predictDeterministicAddress(implementation, salt);
    }
}
