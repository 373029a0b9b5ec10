import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressText, hostOf } from './address.ts'

const PAIRS = [
  ['localhost', 80, 'localhost:80'],
  ['127.0.0.1', 0, '127.0.0.1:0'],
  ['::1', 5001, '[::1]:5001'],
  ['fe80::1%eth0', 65_535, '[fe80::1%eth0]:65535'],
] as const

test('an address of IPv6 stands in brackets before its port, once', () => {
  for (const [host, port, text] of PAIRS) assert.equal(addressText(host, port), text)
  assert.equal(addressText('[::1]', 80), '[::1]:80')
})

test('the host of such a text is what was written', () => {
  for (const [host, , text] of PAIRS) assert.equal(hostOf(text), host)
})

test('an address as text is what a URL has', () => {
  for (const host of ['localhost', '192.0.2.1', '::1', '2001:db8::7']) {
    assert.equal(new URL(`http://${addressText(host, 4000)}`).host, addressText(host, 4000))
  }
})
