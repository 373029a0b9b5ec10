/**
 * Program: viewers of a live stream, as many pages as its arguments say of one address. It answers
 * `bytes` and `events` with what all of them have been told, and everything else with how many are
 * connected.
 */
import { Agent, get } from 'node:http'

const [address, count] = [process.argv[2]!, Number(process.argv[3])]
const agent = new Agent({ keepAlive: true, maxSockets: count })
const EVENT = Buffer.from('data: ')
let connected = 0
let bytes = 0
let events = 0
for (let i = 0; i < count; i++) {
  get(address, { agent }, (response) => {
    if (response.statusCode !== 200) throw new Error(`${address}: ${response.statusCode}`)
    connected++
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      for (let at = chunk.indexOf(EVENT); at >= 0; at = chunk.indexOf(EVENT, at + 1)) events++
    })
  })
}
process.on('message', (question) => {
  process.send?.(question === 'bytes' ? bytes : question === 'events' ? events : connected)
})
process.once('disconnect', () => process.exit(0))
process.send?.({ udpPort: 0, tcpPort: 0 })
