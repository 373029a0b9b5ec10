import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { type Call, callFromFilter } from '../../../../../test/filters/calling.ts'

const WASI = 'wasi_snapshot_preview1'
const UNSTABLE = 'wasi_unstable'
/** Address outside the one page that the filter has. */
const OUTSIDE = 65_536
const NS_PER_MS = 1_000_000n

function words(...values: number[]): Uint8Array {
  return new Uint8Array(Uint32Array.from(values).buffer)
}

/** Writes the subscription to a clock as either module has it. */
function sleepOf(bytes: 48 | 56, clock: number, ns: bigint, flags = 0): Uint8Array {
  const view = new DataView(new ArrayBuffer(bytes))
  const at = bytes === 48 ? 16 : 24
  view.setBigUint64(0, 77n, true)
  view.setUint32(at, clock, true)
  view.setBigUint64(at + 8, ns, true)
  view.setUint16(at + 24, flags, true)
  return new Uint8Array(view.buffer)
}

test('a call of WASI that is not served answers WASI’s own number', async () => {
  const { answers, host } = await callFromFilter([
    [WASI, 'fd_prestat_get', 3, 0],
    [WASI, 'path_open', 3, 0, 0, 4, 0, 0n, 0n, 0, 16],
    [WASI, 'fd_filestat_get', 0, 0],
    [UNSTABLE, 'path_open', 3, 0, 0, 4, 0, 0n, 0n, 0, 16],
    [UNSTABLE, 'sock_shutdown', 3, 0],
    ['env', 'proxy_http_call', 1],
  ])
  assert.deepEqual(answers, [8, 44, 52, 44, 52, 12])
  assert.deepEqual(
    host.statistics().unknownImports.map(({ name }) => name),
    [
      `${WASI}.path_open`,
      `${WASI}.fd_filestat_get`,
      `${UNSTABLE}.path_open`,
      `${UNSTABLE}.sock_shutdown`,
      'env.proxy_http_call',
    ],
  )
})

test('the start of Go’s runtime under wasip1 passes', async () => {
  // runtime: randinit, schedinit, goenvs; syscall: its two init; os: NewFile of 0, 1, 2
  const { answers, reason } = await callFromFilter([
    [WASI, 'random_get', 0, 64],
    [WASI, 'clock_time_get', 1, 0n, 128],
    [WASI, 'args_sizes_get', 136, 140],
    [WASI, 'environ_sizes_get', 144, 148],
    [WASI, 'environ_get', 152, 160],
    [WASI, 'clock_time_get', 0, 0n, 128],
    [WASI, 'fd_fdstat_set_flags', 0, 4],
    [WASI, 'fd_prestat_get', 3, 192],
    [WASI, 'fd_fdstat_get', 0, 200],
    [WASI, 'fd_fdstat_get', 1, 200],
    [WASI, 'fd_fdstat_get', 2, 200],
  ])
  assert.equal(reason, '')
  // it passes over the answer of fd_fdstat_set_flags, and takes 8 as the end of the folders
  assert.deepEqual(answers, [0, 0, 0, 0, 0, 0, 52, 8, 0, 0, 0])
})

test('standard streams take and give, and end when they are closed', async () => {
  const text = Buffer.from('a line\nin pieces')
  const data = Buffer.concat([words(24, 9, 33, 7), Buffer.alloc(8), text])
  const write = (fd: number): Call => [WASI, 'fd_write', fd, 0, 2, 1_000]
  const { answers, memory, lines } = await callFromFilter(
    [
      write(1),
      [WASI, 'fd_write', 2, 8, 1, 1_004],
      write(0),
      [WASI, 'fd_read', 0, 0, 2, 1_008],
      [WASI, 'fd_read', 1, 0, 2, 1_008],
      [WASI, 'fd_seek', 1, 0n, 0, 1_012],
      [WASI, 'fd_seek', 3, 0n, 0, 1_012],
      [WASI, 'fd_fdstat_get', 1, 1_016],
      [WASI, 'fd_close', 1],
      [WASI, 'fd_close', 1],
      write(1),
      [WASI, 'fd_close', 9],
      [WASI, 'sched_yield'],
    ],
    data,
  )
  assert.deepEqual(answers, [0, 0, 8, 0, 8, 70, 8, 0, 0, 8, 8, 8, 0])
  assert.equal(memory.getUint32(1_000, true), 16)
  assert.equal(memory.getUint32(1_004, true), 7)
  assert.equal(memory.getUint8(1_016), 2)
  assert.equal(memory.getBigUint64(1_024, true), (1n << 27n) | (1n << 6n))
  assert.deepEqual(lines, ['info a line', 'info in pieces', 'error  pieces'])
})

test('clocks tell time and resolution; an unknown one is refused', async () => {
  const { answers, memory } = await callFromFilter([
    [WASI, 'clock_time_get', 0, 0n, 0],
    [WASI, 'clock_time_get', 1, 0n, 8],
    [WASI, 'clock_time_get', 3, 0n, 8],
    [WASI, 'clock_res_get', 0, 16],
    [WASI, 'clock_res_get', 1, 24],
    [WASI, 'clock_res_get', 2, 24],
  ])
  assert.deepEqual(answers, [0, 0, 28, 0, 0, 28])
  assert.equal(memory.getBigUint64(16, true), NS_PER_MS)
  assert.equal(memory.getBigUint64(24, true), 1n)
})

test('a filter sleeps by either layout of poll_oneoff, and on absolute times', async () => {
  for (const [module, bytes] of [
    [WASI, 48],
    [UNSTABLE, 56],
  ] as const) {
    const data = Buffer.concat([
      sleepOf(bytes, 1, 30n * NS_PER_MS),
      sleepOf(bytes, 0, 20n * NS_PER_MS),
      sleepOf(bytes, 0, 1n, 1),
    ])
    const called = await callFromFilter(
      [
        [module, 'poll_oneoff', 0, 512, 2, 256],
        [module, 'poll_oneoff', 2 * bytes, 640, 1, 260],
      ],
      data,
    )
    assert.deepEqual(called.answers, [0, 0])
    assert.equal(called.sleptMs, 20)
    assert.equal(called.memory.getUint32(256, true), 1)
    assert.equal(called.memory.getBigUint64(512, true), 77n)
    assert.equal(called.memory.getUint16(520, true), 0)
    assert.equal(called.memory.getUint8(522), 0)
  }
})

test('streams are ready at once, whatever clock is waited for with them', async () => {
  const stream = (type: number, fd: number): Uint8Array => {
    const view = new DataView(new ArrayBuffer(48))
    view.setUint8(8, type)
    view.setUint32(16, fd, true)
    return new Uint8Array(view.buffer)
  }
  const subscriptions = [stream(1, 0), stream(2, 1), stream(2, 7), stream(9, 0)]
  const data = Buffer.concat([...subscriptions, sleepOf(48, 1, 10n ** 12n)])
  const { answers, memory, sleptMs } = await callFromFilter(
    [[WASI, 'poll_oneoff', 0, 512, 5, 1_000]],
    data,
  )
  assert.deepEqual(answers, [0])
  assert.equal(sleptMs, 0)
  assert.equal(memory.getUint32(1_000, true), 4)
  const events = [0, 1, 2, 3].map((i) => {
    const at = 512 + 32 * i
    return [memory.getUint16(at + 8, true), memory.getUint8(at + 10), memory.getUint8(at + 24)]
  })
  assert.deepEqual(events, [
    [0, 1, 1],
    [0, 2, 0],
    [8, 2, 0],
    [28, 9, 0],
  ])
})

test('a sleep ends with the time of the call, and says so', async () => {
  const forever = sleepOf(48, 1, (1n << 64n) - 1n)
  const poll: Call = [WASI, 'poll_oneoff', 0, 512, 1, 256]
  const { answers, sleptMs, reason } = await callFromFilter([poll, poll, poll], forever)
  assert.deepEqual(answers, [27, 27, 27])
  assert.equal(sleptMs, 1_000)
  assert.equal(reason, '')
})

test('addresses, lengths and counts that lie are refused', async () => {
  const many = 0x2000_0001
  const cases: [Call, number][] = [
    [[WASI, 'random_get', OUTSIDE - 4, 8], 21],
    [[WASI, 'random_get', 0, -1], 21],
    [[WASI, 'random_get', 0, 65_536], 0],
    [[WASI, 'fd_write', 1, OUTSIDE - 4, 1, 0], 21],
    [[WASI, 'fd_write', 1, 0, many, 0], 28],
    [[WASI, 'fd_write', 1, 0, -1, 0], 28],
    [[WASI, 'fd_write', 1, 0, 1, OUTSIDE], 21],
    [[WASI, 'fd_read', 0, -8, 2, 0], 21],
    [[WASI, 'fd_read', 0, 0, 1_025, 0], 28],
    [[WASI, 'fd_fdstat_get', 1, OUTSIDE - 23], 21],
    [[WASI, 'clock_res_get', 0, OUTSIDE - 7], 21],
    [[WASI, 'clock_time_get', 0, 0n, -1], 21],
    [[WASI, 'environ_get', 0, OUTSIDE - 1], 21],
    [[WASI, 'environ_sizes_get', OUTSIDE, 0], 21],
    [[WASI, 'args_sizes_get', 0, OUTSIDE - 3], 21],
    [[WASI, 'poll_oneoff', 0, 0, 0, 0], 28],
    [[WASI, 'poll_oneoff', 0, 0, 1_025, 0], 28],
    [[WASI, 'poll_oneoff', OUTSIDE - 47, 0, 1, 0], 21],
    [[WASI, 'poll_oneoff', 0, OUTSIDE - 31, 1, 0], 21],
    [[WASI, 'poll_oneoff', 0, 0, 1, OUTSIDE], 21],
  ]
  for (const [call, answer] of cases) {
    const { answers } = await callFromFilter([call])
    // a random_get over the whole page writes over the answers of others, not over its own
    assert.deepEqual(answers, [answer], call.join(' '))
  }
})

test('proc_exit ends the filter with its reason, and the next request has a new one', async () => {
  const { reason, lines, host } = await callFromFilter([[WASI, 'proc_exit', 71]])
  assert.equal(reason, 'filter ended itself: proc_exit(71)')
  assert.deepEqual(lines, ['error trap: filter ended itself: proc_exit(71)'])
  assert.equal(host.isRunning, false)
  host.request()
  assert.equal(host.statistics().instances, 2)
})
