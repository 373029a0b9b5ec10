import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf } from './network.ts'

const NETWORKS = {
  '192.0.2.1': '192.0.2.1',
  '::ffff:192.0.2.1': '192.0.2.1',
  '::FFFF:192.0.2.1': '192.0.2.1',
  '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
  '2001:0DB8:1:2::1': '2001:db8:1:2::/64',
  '2001:db8::1': '2001:db8:0:0::/64',
  '::1': '0:0:0:0::/64',
  'fe80::1%eth0': 'fe80:0:0:0::/64',
  '64:ff9b::192.0.2.1': '64:ff9b:0:0::/64',
  'scope://host:4000': 'scope://host:4000',
  'filter a': 'filter a',
  '': '',
}

test('limits of an address hold for 64 bits of IPv6, and for IPv4 in either form', () => {
  for (const [address, network] of Object.entries(NETWORKS)) {
    assert.equal(networkOf(address), network, address)
  }
})
