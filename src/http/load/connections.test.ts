/** Places for connections, when some are held for nothing. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { serve } from '../../../test/support/http-client.ts'
import { FakeHubView } from '../../../test/support/hub/fake-hub-view.ts'

async function hold(t: TestContext, port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').resume()
  socket.on('error', () => {})
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  return socket
}

for (const limits of [{ connections: 3 }, { connectionsPerAddress: 3 }]) {
  test(`who holds all places keeps no other out: ${Object.keys(limits)}`, async (t) => {
    const server = await serve(t, { view: new FakeHubView(), limits })
    const held: Socket[] = []
    for (let i = 0; i < 3; i++) held.push(await hold(t, server.port))
    const closed = once(held[0]!, 'close')
    assert.equal((await server.ask('/healthz')).status, 200)
    await closed
    assert.deepEqual(
      held.map(({ destroyed }) => destroyed),
      [true, false, false],
    )
    assert.deepEqual(
      server.counted.filter((each) => each.startsWith('refused')),
      ['refused made_room'],
    )
  })
}

test('an answer under way is never closed for a newcomer', async (t) => {
  const server = await serve(t, { view: new FakeHubView(), limits: { connections: 2 } })
  const stream = await server.stream('/api/v1/live')
  const held = await hold(t, server.port)
  const closed = once(held, 'close')
  assert.equal((await server.ask('/healthz')).status, 200)
  await closed
  assert.equal(stream.isEnded ?? false, false)
  stream.close()
})
