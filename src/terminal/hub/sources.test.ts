/** Lines of `pentameter sources`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourcesLines } from './sources.ts'

const NOW_MS = 1_700_000_100_000

test('processes are told with what is known of them, and why others are gone', () => {
  const peer = { dialect: 'nettrace', direction: 'attach', sinceMs: NOW_MS - 60_000 } as const
  const facts = { process: 'Shop', pid: 4242, runtime: '10.0.12', intervalMs: 1000, lost: 0 }
  const lines = sourcesLines(
    {
      peers: [
        { ...peer, name: 'dotnet://Shop', state: 'connected' },
        { ...peer, name: 'dotnet:///run/port,listen', state: 'connected', isListening: true },
        { ...peer, name: 'dotnet://Bad\n', state: 'lost', message: 'the process has ended' },
      ],
      connections: [
        {
          ...{ dialect: 'nettrace', peer: 'unix /tmp/socket', openedBy: 'hub' },
          ...{ sinceMs: NOW_MS - 60_000, facts },
        },
      ],
      sources: [
        { address: 'Shop', dialect: 'nettrace', series: 7, errors: 0, lastDataMs: NOW_MS - 1000 },
      ],
    },
    NOW_MS,
  )
  const text = lines.join('\n')
  assert.match(text, /^Peers\n {2}dotnet:\/\/Shop +nettrace {2}connected {2}for \d/)
  assert.match(text, /port,listen +nettrace {2}listening {2}for \d/)
  assert.match(text, /dotnet:\/\/Bad\S+ +nettrace {2}gone +for .*the process has ended\n/)
  assert.match(
    text,
    /unix \/tmp\/socket .*process Shop, pid 4242, runtime 10\.0\.12, intervalMs 1000$/m,
  )
  assert.match(text, /\n\nSources\n {2}Shop {2}nettrace {2}7 series/)
  assert.equal(/lost 0/.test(text), false)
})

test('nothing is said to be nothing', () => {
  assert.deepEqual(sourcesLines({ connections: [], sources: [] }, NOW_MS), [
    'Nothing is connected, and nothing was heard yet.',
  ])
})
