/** Program: receives datagrams, only counts them, and answers every message with their number. */
import { createSocket } from 'node:dgram'

const RECEIVE_BUFFER_BYTES = 4_194_304

let count = 0
const socket = createSocket('udp4')
socket.on('message', () => {
  count++
})
socket.bind(0, '127.0.0.1', () => {
  socket.setRecvBufferSize(RECEIVE_BUFFER_BYTES)
  process.send?.({ udpPort: socket.address().port, tcpPort: 0 })
})
process.on('message', () => process.send?.(count))
process.once('disconnect', () => socket.close())
