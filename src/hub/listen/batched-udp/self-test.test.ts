import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Libc, openLibc } from './libc.ts'
import { findFault } from './self-test.ts'

const skip = typeof openLibc() === 'string' && (openLibc() as string)

/** libc, but for what recvmmsg does. */
function libcWhose(receive: (real: Libc['receiveMessages']) => Libc['receiveMessages']): Libc {
  const libc = openLibc() as Libc
  libc.receiveMessages = receive(libc.receiveMessages.bind(libc))
  return libc
}

test('a machine whose recvmmsg does what it should has no fault', { skip }, async () => {
  assert.equal(await findFault(openLibc() as Libc), undefined)
})

test('a recvmmsg that finds nothing is not used', { skip }, async () => {
  const libc = libcWhose(() => () => 0)
  assert.notEqual(await findFault(libc), undefined)
})

test('a recvmmsg that the system forbids is not used', { skip }, async () => {
  const libc = libcWhose(() => () => {
    throw new Error('recvmmsg EPERM: operation not permitted')
  })
  assert.match((await findFault(libc))!, /EPERM/)
})

test('a recvmmsg whose bytes lie elsewhere is not used', { skip }, async () => {
  const libc = libcWhose((real) => (fd, headers, count) => {
    const filled = real(fd, headers, count)
    // datagrams begin behind the structures, 64 + 16 + 32 bytes for each
    new Uint8Array(headers.buffer).copyWithin(count * 112 + 1, count * 112, count * 112 + 20_000)
    return filled
  })
  assert.match((await findFault(libc))!, /datagram \d is another one/)
})

test('a recvmmsg that writes sizes elsewhere is not used', { skip }, async () => {
  const libc = libcWhose((real) => (fd, headers, count) => {
    const filled = real(fd, headers, count)
    for (let i = 0; i < filled; i++) headers[i * 64 + 56]! ^= 4
    return filled
  })
  assert.notEqual(await findFault(libc), undefined)
})

test('a recvmmsg that writes senders elsewhere is not used', { skip }, async () => {
  const libc = libcWhose((real) => (fd, headers, count) => {
    const filled = real(fd, headers, count)
    new Uint8Array(headers.buffer, count * 80, count * 32).reverse()
    return filled
  })
  assert.match((await findFault(libc))!, /another sender/)
})
