/**
 * Many datagrams with one system call, where this machine and this Node can: Linux on x64 or arm64
 * with `node:ffi`. It is found out by doing it, once per thread.
 */
import type { Log } from '../../log.ts'
import { type BindUdp, bindUdp, type UdpReceive } from '../udp-socket.ts'
import { BatchedSocket } from './batched-socket.ts'
import { openLibc } from './libc.ts'
import { findFault } from './self-test.ts'

/** Chooses how sockets of this thread are bound; `auto` is recvmmsg wherever it works. */
export async function chooseBind(wish: UdpReceive | 'auto', log: Log): Promise<BindUdp> {
  if (wish === 'dgram') return bindUdp
  const bind = await openBatchedUdp()
  if (typeof bind !== 'string') return bind
  if (wish === 'recvmmsg') log('warn', 'udp datagrams come one per system call', { reason: bind })
  return bindUdp
}

/** Opens what binds sockets of this thread, or tells why it can't be. */
async function openBatchedUdp(): Promise<BindUdp | string> {
  const libc = openLibc()
  if (typeof libc === 'string') return libc
  const fault = await findFault(libc)
  if (fault !== undefined) return `recvmmsg did not pass its test: ${fault}`
  return (options, receiver) => BatchedSocket.bind(libc, options, receiver)
}
