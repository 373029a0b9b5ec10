/**
 * Program: takes connections, only counts bytes, and answers every message with how many windows
 * they are. Its argument is the size of a frame.
 */
import { createServer } from 'node:net'
import { GREETING } from '../load/windows.ts'

const frameBytes = Number(process.argv[2])
let bytes = 0
const server = createServer((socket) => {
  bytes -= GREETING.length
  socket.on('data', (chunk) => {
    bytes += chunk.length
  })
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number }
  process.send?.({ udpPort: 0, tcpPort: port })
})
process.on('message', () => process.send?.(bytes / frameBytes))
process.once('disconnect', () => server.close())
