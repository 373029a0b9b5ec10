/** Samples of NetTrace for the shared suite: streams of both versions, and messages beside them. */
import type { DialectSamples, Sample } from '../../../../test/suites/dialect.ts'
import { writeIpc } from '../codec/ipc/write.ts'
import { RECORDINGS } from './recordings.ts'
import { STREAMS } from './vectors/streams.ts'

const STREAM = { transport: 'tcp' } as const

const BASIC = STREAMS.get('ns-basic')!
const VERSION_6 = STREAMS.get('ns-v6')!
const IDLE = RECORDINGS.get('idle')!

const PROCESS_INFO = writeIpc({ message: 'ProcessInfo3' })
const SESSION = writeIpc({ message: 'OK', session: '18446744073709551615' })

const PROVIDERS = [{ keywords: 0, level: 4, name: 'App', arguments: 'EventCounterIntervalSec=1' }]
const FILTERED = [{ ...PROVIDERS[0]!, filter: { enable: true, eventIds: [1, 4294967295] } }]
const FACTS = { pid: '7', cookie: '00112233445566778899aabbccddeeff', os: 'Linux', arch: 'x64' }

const MESSAGES = [
  ...['ProcessInfo', 'ProcessInfo2', 'ProcessInfo3', 'ResumeRuntime'].map((message) => ({
    message,
  })),
  { message: 'StopTracing', session: '9007199254740993' },
  { message: 'CollectTracing', bufferMB: 1, format: 1, providers: PROVIDERS },
  { message: 'CollectTracing2', bufferMB: 256, format: 1, rundown: false, providers: PROVIDERS },
  {
    ...{ message: 'CollectTracing6', sessionType: 0, bufferMB: 4294967295, format: 0 },
    ...{ rundownKeyword: '2147614009', stacks: true, providers: FILTERED, bufferMode: 1 },
  },
  { message: 'OK' },
  { message: 'OK', session: '0' },
  { message: 'Error', code: '80131385' },
  { message: 'ProcessInfoReply', ...FACTS, commandLine: '' },
  { message: 'ProcessInfo2Reply', ...FACTS, commandLine: 'a', entryAssembly: 'a', clrVersion: '9' },
  { message: 'Advertise', cookie: FACTS.cookie, pid: '1' },
]

const AT = { time: '2026-01-02T03:04:05.0060000Z', relMs: 0, thread: 1 }
const LATER = { time: '2026-01-02T03:04:06.0065001Z', relMs: 1000.5001, thread: 4294967296 }
const COUNTER = { provider: 'App', event: 'EventCounters' }
const TEXTS = { Name: 'hits', DisplayName: 'Héllo \ud83d', Series: 'Interval=1000' }

const EVENTS = [
  {
    ...{ ...COUNTER, id: 2, ...AT },
    payload: { ...TEXTS, Increment: 0.1, IntervalSec: 1.0015682, DisplayRateTimeScale: '' },
  },
  {
    ...{ ...COUNTER, id: 1, ...LATER },
    payload: { ...TEXTS, Mean: 'NaN', Count: -1, Min: 'Infinity', Max: '-Infinity' },
  },
  {
    ...{ provider: 'System.Diagnostics.Metrics', event: 'CollectionStart', id: 2, ...LATER },
    payload: {
      sessionId: 'SHARED',
      intervalStartTime: '2026-01-02T03:04:05.1234567Z',
      intervalEndTime: '1601-01-01T00:00:00.0000000Z',
    },
  },
  {
    ...{ provider: 'Microsoft-DotNETCore-EventPipe', event: 'ProcessInfo', id: 1, ...LATER },
    payload: null,
  },
]

export const samples: DialectSamples = {
  streams: [
    { name: 'version 4', bytes: BASIC, options: STREAM },
    { name: 'version 6', bytes: VERSION_6, options: STREAM },
    { name: 'a session without events', bytes: IDLE, options: STREAM },
    { name: 'a stream behind its reply', bytes: join(SESSION, VERSION_6), options: STREAM },
    { name: 'two commands', bytes: join(PROCESS_INFO, PROCESS_INFO), options: STREAM },
    { name: 'nothing', bytes: new Uint8Array(0), options: STREAM },
    { name: 'an end in a command', bytes: PROCESS_INFO.subarray(0, 19), options: STREAM },
    { name: 'an end in a block', bytes: BASIC.subarray(0, 1900), options: STREAM },
  ].filter(({ bytes }) => bytes.length < 2500),
  datagrams: [],
  spoken: [
    { name: 'messages beside a stream', messages: MESSAGES, decodeOptions: STREAM },
    { name: 'events of known layouts', messages: EVENTS, decodeOptions: STREAM },
    { name: 'one event', messages: EVENTS.slice(0, 1), decodeOptions: STREAM },
  ],
  faulty: [
    { ...faulty('magic', BASIC, 3), next: BASIC },
    { ...faulty('tag of the first object', BASIC, 32), next: BASIC },
    { ...faulty('tag behind a name', BASIC, 52), next: BASIC },
    { ...faulty('major version', VERSION_6, 12), next: VERSION_6 },
    { ...faulty('set of a command', PROCESS_INFO, 16), next: PROCESS_INFO },
    { ...faulty('size of a command', PROCESS_INFO, 14, 19), next: PROCESS_INFO },
    { ...faulty('magic of a command', PROCESS_INFO, 12), next: PROCESS_INFO },
  ],
  huge: [
    {
      name: 'a block without end',
      bytes: join(IDLE.subarray(0, 102), blockHead('EventBlock', 0x0400_0001)),
      options: STREAM,
      code: 'too_large',
    },
    {
      name: 'a block of a negative size',
      bytes: join(IDLE.subarray(0, 102), blockHead('StackBlock', 0xffff_ffff)),
      options: STREAM,
      code: 'too_large',
    },
    {
      name: 'an object with a long name',
      bytes: join(IDLE.subarray(0, 102), blockHead('x'.repeat(65), 0)),
      options: STREAM,
      code: 'too_large',
    },
  ],
  exceptions: [{ law: 'claims', reason: 'read from files and sockets: no listener receives it' }],
}

/** Puts another byte into its place. */
function faulty(what: string, bytes: Uint8Array, at: number, byte = 0x5a): Sample {
  const broken = bytes.slice()
  broken[at] = byte
  return { name: `a wrong ${what}`, bytes: broken, options: STREAM }
}

/** Writes the head of an object of version 4, and a size. */
function blockHead(name: string, size: number): Uint8Array {
  const head = Buffer.alloc(15)
  head.set([5, 5, 1])
  head.writeUInt32LE(2, 3)
  head.writeUInt32LE(2, 7)
  head.writeUInt32LE(name.length, 11)
  const end = Buffer.alloc(5)
  end[0] = 6
  end.writeUInt32LE(size, 1)
  return join(head, Buffer.from(name), end)
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts)
}
