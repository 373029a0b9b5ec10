import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../../../test/support/property.ts'
import { AF_INET, AF_INET6, type Libc, openLibc } from './libc.ts'
import { decodeSockaddr, encodeSockaddr, familyOf } from './sockaddr.ts'

const libc = openLibc() as Libc
const skip = typeof libc === 'string' && libc

const port = fc.nat(65_535)

test('an address has its bytes where netinet/in.h has them', { skip }, () => {
  assert.deepEqual(
    [...encodeSockaddr(libc, { address: '192.0.2.7', port: 8125 })],
    [2, 0, 0x1f, 0xbd, 192, 0, 2, 7, 0, 0, 0, 0, 0, 0, 0, 0],
  )
  assert.deepEqual(
    [...encodeSockaddr(libc, { address: '2001:db8::7', port: 8125 })],
    [10, 0, 0x1f, 0xbd, ...zeros(4), 0x20, 1, 0xd, 0xb8, ...zeros(11), 7, ...zeros(4)],
  )
})

test('every IPv4 address comes back as it was', { skip }, () => {
  holds(
    fc.property(fc.ipV4(), port, (address, port) => {
      assert.deepEqual(roundTrip(address, port), { address, port })
    }),
  )
})

test('every IPv6 address comes back in the text that URLs give it', { skip }, () => {
  holds(
    fc.property(fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }), port, (words, port) => {
      const address = words.map((word) => word.toString(16)).join(':')
      // after zeros libc may write the end as IPv4; link-local addresses have zones
      fc.pre(words[0] !== 0 && (words[0]! & 0xffc0) !== 0xfe80)
      const text = new URL(`http://[${address}]`).hostname.slice(1, -1)
      assert.deepEqual(roundTrip(address, port), { address: text, port })
    }),
  )
})

test('an IPv4 address inside IPv6 is written as Node writes it', { skip }, () => {
  assert.equal(roundTrip('::ffff:192.0.2.7', 1)?.address, '::ffff:192.0.2.7')
  assert.equal(roundTrip('::1', 1)?.address, '::1')
  assert.equal(roundTrip('::', 1)?.address, '::')
})

test('a zone is the number of its interface, and is named only where it is needed', {
  skip,
}, () => {
  const [name] = Object.keys(networkInterfaces())
  const bytes = encodeSockaddr(libc, { address: `fe80::1%${name}`, port: 1 })
  assert.equal(new DataView(bytes.buffer).getUint32(24, true), libc.interfaceIndex(name!))
  assert.equal(roundTrip(`fe80::1%${name}`, 1)?.address, `fe80::1%${name}`)
  assert.equal(roundTrip('fe80::1%77777', 1)?.address, 'fe80::1%77777')
  assert.equal(roundTrip('2001:db8::7%77777', 1)?.address, '2001:db8::7')
})

test('what is no address, or names no interface, is refused', { skip }, () => {
  assert.throws(() => encodeSockaddr(libc, { address: 'localhost', port: 1 }), RangeError)
  assert.throws(
    () => encodeSockaddr(libc, { address: 'fe80::1%no-such-one', port: 1 }),
    /no network interface no-such-one/,
  )
})

test('a structure of another family, or shorter than its own, is no sender', { skip }, () => {
  const v4 = encodeSockaddr(libc, { address: '192.0.2.7', port: 1 })
  const v6 = encodeSockaddr(libc, { address: '::1', port: 1 })
  assert.equal(decodeSockaddr(libc, v4, 15), undefined)
  assert.equal(decodeSockaddr(libc, v4, 128), undefined)
  assert.equal(decodeSockaddr(libc, v6, 16), undefined)
  assert.equal(decodeSockaddr(libc, v4.fill(1, 0, 1), 16), undefined)
  assert.equal(decodeSockaddr(libc, v4, 0), undefined)
})

test('the family follows from the address', () => {
  assert.equal(familyOf('127.0.0.1'), AF_INET)
  assert.equal(familyOf('fe80::1%lo'), AF_INET6)
})

function roundTrip(address: string, port: number) {
  const bytes = encodeSockaddr(libc, { address, port })
  return decodeSockaddr(libc, bytes, bytes.length)
}

function zeros(count: number): number[] {
  return new Array(count).fill(0)
}
